#include <cmath>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/exchange.hpp"
#include "support/thread_machine.hpp"

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

void check_product(int tasks, const Parameters& problem, const std::vector<double>& expected) {
  test::run_ranks(tasks, [&](Comm& comm) {
    DistributedMatrix matrix(comm, problem, 1);
    const Range piece = matrix.piece();
    double worst = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (Eigen::Index i = 0; i < matrix.piece_size(); ++i) matrix.input()[i] = element(piece.begin + i);
      matrix.multiply();
      for (Eigen::Index i = 0; i < matrix.piece_size(); ++i) {
        worst = std::max(worst, std::abs(matrix.result()[i] - expected[static_cast<std::size_t>(piece.begin + i)]));
        worst = std::max(worst, std::abs(matrix.input()[i] - element(piece.begin + i)));
      }
    }
    const double worst_of_all = comm.allreduce_value(worst, Max{});
    const auto elements = comm.allreduce_value(static_cast<std::int64_t>(matrix.piece_size()));
    if (comm.rank() == 0) {
      INFO("tasks " << tasks);
      CHECK(worst_of_all < 1e-13);
      CHECK(elements == problem.order);
    }
  });
}

}  // namespace

TEST_CASE("cg: the distributed product equals that of one task, with any number of tasks") {
  const Parameters problem{211, 5, 1, 7.0, 0.0};
  const std::vector<double> expected = whole_product(problem);
  for (int tasks = 1; tasks <= 18; ++tasks) check_product(tasks, problem, expected);
  check_product(24, problem, expected);
}

TEST_CASE("cg: tasks without any element of a vector take part") {
  const Parameters problem{7, 2, 1, 7.0, 0.0};
  for (const int tasks : {8, 9, 12, 13}) check_product(tasks, problem, whole_product(problem));
}

TEST_CASE("cg: the blocks of all tasks hold the elements of the whole matrix once") {
  const Parameters problem{211, 5, 1, 7.0, 0.0};
  const std::int64_t whole = Matrix(problem, {0, 211}, IntervalSet({{0, 211}}), 1).nonzeros();
  for (const int tasks : {2, 5, 6}) {
    test::run_ranks(tasks, [&](Comm& comm) {
      const std::int64_t sum = comm.allreduce_value(DistributedMatrix(comm, problem, 1).block().nonzeros());
      if (comm.rank() == 0) CHECK(sum == whole);
    });
  }
}

TEST_CASE("cg: an exchange moves every piece to its place and sends nothing else") {
  constexpr std::int64_t order = 50;
  test::run_ranks(6, [&](Comm& comm) {  // 3 x 2
    const Grid grid(order, 6);
    Exchange exchange(comm, grid);
    const IntervalSet columns = grid.column_block(grid.col_of(comm.rank()));
    const Range rows = grid.row_block(grid.row_of(comm.rank()));

    std::vector<double> input(static_cast<std::size_t>(columns.size()), -1);
    const std::span<double> own = exchange.own_of_columns(input);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = static_cast<double>(grid.piece(comm.rank()).begin + static_cast<std::int64_t>(i));
    }
    const Counters before = comm.counters();
    exchange.expand(input);
    std::vector<double> partial(static_cast<std::size_t>(rows.size()), 1.0 + grid.col_of(comm.rank()));
    exchange.fold(partial);
    const PeerCounters sent = (comm.counters() - before).total();

    bool in_place = true;
    for (std::int64_t index = 0; index < order; ++index) {
      if (const std::int64_t at = columns.local(index); at >= 0) {
        in_place = in_place && input[static_cast<std::size_t>(at)] == static_cast<double>(index);
      }
    }
    bool summed = true;
    for (const double value : exchange.own_of_rows(partial)) summed = summed && value == 1.0 + 2.0;
    if (!in_place) throw std::runtime_error("expand put a piece into the wrong place");
    if (!summed) throw std::runtime_error("fold summed wrongly");
    if (sent.messages_sent != 2 + 1) throw std::runtime_error("wrong number of messages");
  });
}

TEST_CASE("cg: a grid of another size than the Comm is refused") {
  test::run_ranks(1, [](Comm& comm) { CHECK_THROWS_AS(Exchange(comm, Grid(100, 2)), std::invalid_argument); });
}
