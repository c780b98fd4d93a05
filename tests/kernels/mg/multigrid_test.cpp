#include "kernels/mg/multigrid.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/mg/problem.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using namespace nasvm::mg;

namespace {

constexpr int levels = 5;
constexpr int cycles = 3;

/// Norms of the residual before and after each of a few cycles.
std::vector<double> norms(int tasks, int threads, int merge_edge) {
  std::vector<double> found;
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    Multigrid multigrid(comm, levels, problem_class('S').smoother, threads, merge_edge);
    multigrid.start(find_charges(comm, 1 << levels, multigrid.slab(), threads));
    std::vector<double> mine;
    for (int cycle = 0; cycle <= cycles; ++cycle) {
      if (cycle > 0) multigrid.v_cycle();
      multigrid.residual();
      mine.push_back(multigrid.residual_norm());
    }
    if (comm.rank() == comm.size() - 1) found = mine;
  });
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

TEST_CASE("every cycle reduces the residual") {
  for (std::size_t i = 1; i < reference().size(); ++i) CHECK(reference()[i] < 0.5 * reference()[i - 1]);
}

TEST_CASE("the cycle does not depend on tasks, threads or merging") {
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
    Multigrid multigrid(comm, levels, problem_class('S').smoother, 1);
    const Charges charges = find_charges(comm, 1 << levels, multigrid.slab(), 1);
    for (double* norm : {&first, &again}) {
      multigrid.start(charges);
      multigrid.residual();
      multigrid.v_cycle();
      multigrid.residual();
      *norm = multigrid.residual_norm();
    }
  });
  CHECK(first == again);
}
