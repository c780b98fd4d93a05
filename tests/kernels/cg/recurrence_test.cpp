#include "kernels/cg/recurrence.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "kernels/cg/solver.hpp"
#include "support/thread_machine.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

const Parameters small{'T', 211, 5, 1, 7.0, 0.0};

double start_element(std::int64_t index) { return 1 + 0.5 * std::sin(static_cast<double>(index + 1)); }

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The specification's loop, line by line, with the whole matrix.
std::vector<double> textbook(const std::vector<double>& x) {
  Matrix a(small, {0, small.order}, IntervalSet({{0, small.order}}), 1);
  std::vector<double> z(x.size(), 0.0);
  std::vector<double> r = x;
  std::vector<double> p = r;
  std::vector<double> q(x.size());
  double rho = product_of(r, r);
  for (int step = 1; step <= 25; ++step) {
    a.multiply(p, q);
    const double alpha = rho / product_of(p, q);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += alpha * p[i];
    const double last_rho = rho;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
    rho = product_of(r, r);
    const double beta = rho / last_rho;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
  }
  return z;
}

struct Solved {
  std::vector<double> z;      ///< the whole vector
  std::int64_t products = 0;  ///< of each task
};

/// What the tasks find together.
Solved solved(int tasks, MakeRecurrence make_recurrence, test::Hosts hosts) {
  const Grid grid(small.order, tasks);
  Solved result{std::vector<double>(static_cast<std::size_t>(small.order)), 0};
  const auto body = [&](Comm& comm) {
    DistributedMatrix matrix(comm, small, 1);
    const IntervalSet columns = grid.column_block(grid.col_of(comm.rank()), 2);
    std::vector<double> r(static_cast<std::size_t>(matrix.span_size()), 0.0);
    for (std::int64_t i = 0; i < small.order; ++i) {
      if (columns.local(i) >= 0) r[static_cast<std::size_t>(columns.local(i))] = start_element(i);
    }
    std::vector<double> w(r.size(), 0.0);
    std::vector<double> z(static_cast<std::size_t>(matrix.own().size()));
    make_recurrence(comm, matrix)->solve(r, w, z);
    const Range piece = grid.piece(comm.rank());
    std::copy(z.begin(), z.end(), result.z.begin() + piece.begin);
    if (comm.rank() == 0) result.products = matrix.products();
  };
  test::run_ranks(tasks, body, test::Memory::closed, hosts);
  return result;
}

}  // namespace

TEST_CASE("cg: both recurrences take 25 steps to what the specification's loop finds") {
  std::vector<double> x;
  for (std::int64_t i = 0; i < small.order; ++i) x.push_back(start_element(i));
  const std::vector<double> expected = textbook(x);
  const test::Hosts hosts = GENERATE(test::Hosts::one, test::Hosts::two);
  for (const MakeRecurrence make_recurrence : {classic_recurrence, merged_recurrence}) {
    for (const int tasks : {1, 2, 3, 4, 6, 9, 10, 16}) {
      INFO((make_recurrence == classic_recurrence ? "classic" : "merged") << " on " << tasks << " tasks");
      const Solved found = solved(tasks, make_recurrence, hosts);
      CHECK(found.products == 25);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = test::worse(worst, std::abs(found.z[i] - expected[i]));
      CHECK(worst < 1e-13);
    }
  }
}

TEST_CASE("cg: an outer step has 26 products") {
  for (const MakeRecurrence make_recurrence : {classic_recurrence, merged_recurrence}) {
    test::run_ranks(3, [&](Comm& comm) {
      DistributedMatrix matrix(comm, small, 1);
      Solver solver(comm, matrix, small.shift, make_recurrence);
      for (int step = 1; step <= 3; ++step) {
        solver.power_step();
        const auto products = comm.allreduce_value(matrix.products());
        if (comm.rank() == 0) CHECK(products == std::int64_t{3} * 26 * step);
      }
    });
  }
}
