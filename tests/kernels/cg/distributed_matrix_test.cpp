#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/exchange.hpp"
#include "support/thread_machine.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

double element(std::int64_t index) { return std::sin(static_cast<double>(index + 1)); }

/// The product of the whole matrix with (element(0), element(1), ...), by one task.
std::vector<double> whole_product(const Parameters& problem) {
  const IntervalSet all({{0, problem.order}});
  std::vector<double> x, y(static_cast<std::size_t>(problem.order));
  for (std::int64_t i = 0; i < problem.order; ++i) x.push_back(element(i));
  Matrix(problem, {0, problem.order}, all, 1).multiply(x, y);
  return y;
}

/// `factor` times the whole vector of elements, as far as this task sees it; 0 between the pieces.
std::vector<double> span_of(const DistributedMatrix& matrix, const IntervalSet& columns, double factor) {
  std::vector<double> values(static_cast<std::size_t>(matrix.span_size()), 0.0);
  for (const Range& interval : columns.intervals()) {
    for (std::int64_t i = interval.begin; i < interval.end; ++i) {
      values[static_cast<std::size_t>(columns.local(i))] = factor * element(i);
    }
  }
  return values;
}

struct Setting {
  test::Hosts hosts = test::Hosts::one;
  int threads = 1;
  bool halves_common = false;
};

void check_product(int tasks, const Parameters& problem, const std::vector<double>& expected, Setting setting = {}) {
  const Grid grid(problem.order, tasks);
  const auto body = [&](Comm& comm) {
    DistributedMatrix matrix(comm, problem, setting.threads, setting.halves_common);
    const IntervalSet columns = grid.column_block(grid.col_of(comm.rank()), 2);
    double worst = 0;
    bool sums_right = true;
    for (int repeat = 1; repeat <= 2; ++repeat) {  // a second product must not see anything of the first
      std::vector<double> result(static_cast<std::size_t>(matrix.span_size()), 0.0);
      matrix.multiply(span_of(matrix, columns, repeat), result);
      const auto [sum_of_ranks, count] = matrix.share(result, {1.0 * comm.rank(), 1.0});
      sums_right = sums_right && sum_of_ranks == tasks * (tasks - 1) / 2 && count == tasks;
      for (std::int64_t i = 0; i < problem.order; ++i) {
        if (columns.local(i) < 0) continue;
        const double found = result[static_cast<std::size_t>(columns.local(i))];
        worst = test::worse(worst, std::abs(found - repeat * expected[static_cast<std::size_t>(i)]));
      }
    }
    const double worst_of_all = comm.allreduce_value(worst, Max{});
    const auto elements = comm.allreduce_value(matrix.own().size());
    const int right = comm.allreduce_value(sums_right ? 1 : 0);
    if (comm.rank() == 0) {
      INFO("tasks " << tasks);
      CHECK(worst_of_all < 1e-12);
      CHECK(elements == problem.order);
      CHECK(right == tasks);
    }
  };
  test::run_ranks(tasks, body, test::Memory::closed, setting.hosts);
}

}  // namespace

TEST_CASE("cg: the distributed and shared product equals that of one task, with any number of tasks") {
  const Parameters problem{'T', 211, 5, 1, 7.0, 0.0};
  const std::vector<double> expected = whole_product(problem);
  for (int tasks = 1; tasks <= 18; ++tasks) {
    check_product(tasks, problem, expected);
    check_product(tasks, problem, expected, {.hosts = test::Hosts::two});
  }
  check_product(24, problem, expected);
}

TEST_CASE("cg: two tasks that halve their common block find the same product, with a message each") {
  const std::int64_t order = GENERATE(2, 210, 211);
  const Parameters problem{'T', order, static_cast<int>(std::min<std::int64_t>(order - 1, 5)), 1, 7.0, 0.0};
  const std::vector<double> expected = whole_product(problem);
  for (const int threads : {1, 2, 3}) {
    INFO("order " << order << ", threads " << threads);
    check_product(2, problem, expected, {.threads = threads, .halves_common = true});
  }
  test::run_ranks(2, [&](Comm& comm) {
    DistributedMatrix matrix(comm, problem, 1, true);
    std::vector<double> x(static_cast<std::size_t>(matrix.span_size()), 1.0), y(x.size());
    const Counters before = comm.counters();
    matrix.multiply(x, y);
    const auto sent = (comm.counters() - before).total();
    CHECK(sent.messages_sent == 1);
    CHECK(sent.bytes_sent == 8 * static_cast<std::uint64_t>(order - matrix.own().size()));
  });
}

TEST_CASE("cg: tasks without any element of a vector take part") {
  const Parameters problem{'T', 7, 2, 1, 7.0, 0.0};
  for (const int tasks : {8, 9, 12, 13}) check_product(tasks, problem, whole_product(problem));
}

TEST_CASE("cg: the blocks of all tasks hold the elements of the whole matrix once") {
  const Parameters problem{'T', 211, 5, 1, 7.0, 0.0};
  const std::int64_t whole = Matrix(problem, {0, 211}, IntervalSet({{0, 211}}), 1).nonzeros();
  for (const int tasks : {2, 5, 6}) {
    test::run_ranks(tasks, [&](Comm& comm) {
      const std::int64_t sum = comm.allreduce_value(DistributedMatrix(comm, problem, 1).block().nonzeros());
      if (comm.rank() == 0) CHECK(sum == whole);
    });
  }
}

TEST_CASE("cg: an exchange moves every piece to its place and sends nothing else") {
  constexpr std::int64_t order = 120;
  struct Case {
    int tasks;
    std::uint64_t messages;
    Prefer prefer = Prefer::few_messages;
  };
  // 3 x 2, 5 x 2, 3 x 3 with one leading row, 4 x 4 with two, 5 x 3 without, 5 x 5: expand, fold, a sum over columns
  const auto [tasks, messages, prefer] =
      GENERATE(Case{6, 12 + 6 + 6 + 6}, Case{10, 30 + 10 + 10 + 10}, Case{9, 18 + 4 + 18 + 10},
               Case{16, 32 + 12 + 32 + 18}, Case{15, 45 + 16 + 30 + 16}, Case{25, 75 + 28 + 75 + 28},
               Case{15, 60 + 30 + 30 + 30, Prefer::few_rounds}, Case{16, 4 * 48, Prefer::few_rounds});
  test::run_ranks(tasks, [tasks = tasks, messages = messages, prefer = prefer](Comm& comm) {
    const Grid grid(order, tasks);
    Exchange exchange(comm, grid, prefer);
    const IntervalSet& columns = exchange.columns();
    const Range rows = grid.row_block(grid.row_of(comm.rank()));
    const Range piece = grid.piece(comm.rank());

    std::vector<double> vector(static_cast<std::size_t>(columns.size()), -1);
    for (std::int64_t i = 0; i < piece.size(); ++i) {
      vector[static_cast<std::size_t>(exchange.own_of_columns().begin + i)] = static_cast<double>(piece.begin + i);
    }
    const Counters before = comm.counters();
    const Sums sums = exchange.expand(vector, {1.0, 10.0 * comm.rank()});
    std::vector<double> partial(static_cast<std::size_t>(rows.size()));
    for (std::size_t i = 0; i < partial.size(); ++i) {
      partial[i] = static_cast<double>(i) * (1.0 + grid.col_of(comm.rank()));
    }
    exchange.fold(partial);
    double column_number = 1.0 + grid.col_of(comm.rank());
    exchange.sum_over_columns(std::span(&column_number, 1));
    const std::uint64_t sent = comm.allreduce_value((comm.counters() - before).total().messages_sent);

    double sum = 0;  // of the elements of the columns; there is 0 between the pieces
    for (std::int64_t index = 0; index < order; ++index) {
      const std::int64_t at = columns.local(index);
      if (at < 0) continue;
      if (vector[static_cast<std::size_t>(at)] != static_cast<double>(index)) {
        throw std::runtime_error("expand put a piece into the wrong place");
      }
      sum += static_cast<double>(index);
    }
    if (std::accumulate(vector.begin(), vector.end(), 0.0) != sum)
      throw std::runtime_error("expand left its numbers");
    const double sum_of_cols = grid.cols() * (grid.cols() + 1) / 2.0;
    const Range own = exchange.own_of_rows();
    for (std::int64_t i = own.begin; i < own.end; ++i) {
      if (partial[static_cast<std::size_t>(i)] != static_cast<double>(i) * sum_of_cols) {
        throw std::runtime_error("fold summed wrongly");
      }
    }
    if (sums != Sums{1.0 * tasks, 10.0 * tasks * (tasks - 1) / 2}) throw std::runtime_error("expand summed wrongly");
    if (column_number != sum_of_cols) throw std::runtime_error("sum_over_columns summed wrongly");
    if (sent != messages) throw std::runtime_error("wrong number of messages");
  });
}

TEST_CASE("cg: a grid of another size than the Comm is refused") {
  test::run_ranks(1, [](Comm& comm) {
    CHECK_THROWS_AS(Exchange(comm, Grid(100, 2), Prefer::few_rounds), std::invalid_argument);
  });
}
