#include "kernels/mg/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/mg/naive_operators.hpp"
#include "kernels/mg/problem.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using namespace nasvm::mg;
using namespace nasvm::mg::test;

namespace {

constexpr int levels = 5;
constexpr int cycles = 3;

/// Norms of the residual before and after each of a few cycles.
std::vector<double> norms(int tasks, int threads, int merge_edge) {
  std::vector<double> found;
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    Multigrid multigrid(comm, levels, parameters('S').smoother, threads, merge_edge);
    multigrid.start(find_charges(comm, 1 << levels, multigrid.slab(), threads));
    std::vector<double> mine;
    for (int cycle = 0; cycle <= cycles; ++cycle) {
      if (cycle == 0) multigrid.residual();
      else multigrid.v_cycle();
      mine.push_back(multigrid.residual_norm());
    }
    if (comm.rank() == comm.size() - 1) found = mine;
  });
  return found;
}

Cube residual_of(const Cube& u, const Cube& rhs) {
  Cube r(u.edge);
  for_points(u.edge, [&](int x, int y, int z) { r(x, y, z) = rhs(x, y, z) - naive_sum(laplacian, u, x, y, z); });
  return r;
}

Cube restriction_of(const Cube& fine) {
  Cube coarse(fine.edge / 2);
  for_points(coarse.edge, [&](int x, int y, int z) {
    coarse(x, y, z) = naive_sum({0.5, 0.25, 0.125, 0.0625}, fine, 2 * x + 1, 2 * y + 1, 2 * z + 1);
  });
  return coarse;
}

void smooth(Cube& u, const Cube& r) {
  const Coefficients smoother = parameters('S').smoother;
  for_points(u.edge, [&](int x, int y, int z) { u(x, y, z) += naive_sum(smoother, r, x, y, z); });
}

void add_prolongation(Cube& u, const Cube& coarse) {
  for_points(u.edge, [&](int x, int y, int z) { u(x, y, z) += naive_interpolation(coarse, x, y, z); });
}

/// An approximate solution of A u = r: the V-cycle by recursion.
Cube cycle(const Cube& r) {
  Cube u(r.edge);
  if (r.edge == 2) {
    smooth(u, r);
    return u;
  }
  add_prolongation(u, cycle(restriction_of(r)));
  smooth(u, residual_of(u, r));
  return u;
}

double norm(const Cube& r) {
  double sum = 0;
  for (const double value : r.values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(r.values.size()));
}

/// The same norms from the definitions, on whole cubes.
std::vector<double> naive_norms() {
  Grid charged(1 << levels, {0, 1 << levels}, 1);
  nasvm::test::run_ranks(1,
                         [&](Comm& comm) { place(find_charges(comm, 1 << levels, charged.planes(), 1), charged); });
  Cube v(1 << levels);
  std::ranges::copy(charged.span(charged.planes()), v.values.begin());
  Cube u(v.edge);
  std::vector<double> found{norm(residual_of(u, v))};
  for (int i = 0; i < cycles; ++i) {
    add_prolongation(u, cycle(restriction_of(residual_of(u, v))));
    smooth(u, residual_of(u, v));
    found.push_back(norm(residual_of(u, v)));
  }
  return found;
}

const std::vector<double>& reference() {
  static const std::vector<double> alone = norms(1, 1, 0);
  return alone;
}

void check_equal(const std::vector<double>& found) {
  REQUIRE(found.size() == reference().size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(reference()[i]).epsilon(1e-13));
}

}  // namespace

TEST_CASE("without correction the residual is the charges") {
  // 20 charges of size 1 among 32^3 points.
  CHECK(reference().front() == Approx(std::sqrt(20.0) / std::pow(32.0, 1.5)).epsilon(1e-14));
}

TEST_CASE("the cycle is the one of the definitions", "[lanes]") { check_equal(naive_norms()); }

TEST_CASE("every cycle reduces the residual") {
  for (std::size_t i = 1; i < reference().size(); ++i) CHECK(reference()[i] < 0.5 * reference()[i - 1]);
}

TEST_CASE("the cycle does not depend on tasks, threads or merging", "[lanes]") {
  SECTION("grids that stay distributed down to two planes") {
    check_equal(norms(GENERATE(2, 3, 5, 8, 17, 32, 35), 1, 0));
  }
  SECTION("grids that merge") { check_equal(norms(GENERATE(2, 3, 7, 33), 1, GENERATE(2, 8, 16))); }
  SECTION("threads") { check_equal(norms(GENERATE(1, 3), GENERATE(2, 3), 16)); }
}

TEST_CASE("starting again forgets the correction") {
  double first = 0;
  double again = 0;
  nasvm::test::run_ranks(1, [&](Comm& comm) {
    Multigrid multigrid(comm, levels, parameters('S').smoother, 1);
    const Charges charges = find_charges(comm, 1 << levels, multigrid.slab(), 1);
    for (double* norm : {&first, &again}) {
      multigrid.start(charges);
      multigrid.residual();
      multigrid.v_cycle();
      *norm = multigrid.residual_norm();
    }
  });
  CHECK(first == again);
}

TEST_CASE("which strips are chosen changes no result") {
  constexpr int more_levels = 8;  // planes of 256 rows: strips of 128, or shorter ones
  const int tasks = GENERATE(1, 2);
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    Multigrid multigrid(comm, more_levels, parameters('A').smoother, 1);
    const Charges charges = find_charges(comm, 1 << more_levels, multigrid.slab(), 1);
    const auto norm = [&] {
      multigrid.start(charges);
      multigrid.residual();
      multigrid.v_cycle();
      multigrid.v_cycle();
      return multigrid.residual_norm();
    };
    const double before = norm();
    multigrid.choose_sweep();
    const double after = norm();
    if (comm.rank() == 0) CHECK(after == Approx(before).epsilon(1e-12));
  });
}

TEST_CASE("tasks without planes take part when strips are tried, and have no choice") {
  constexpr int tasks = (1 << levels) + 3;
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    Multigrid multigrid(comm, levels, parameters('S').smoother, 1);
    multigrid.start(find_charges(comm, 1 << levels, multigrid.slab(), 1));
    multigrid.residual();
    multigrid.v_cycle();
    multigrid.choose_sweep();
    if (multigrid.choices().empty() != (multigrid.slab().size() == 0)) throw std::logic_error("choices");
  });
}
