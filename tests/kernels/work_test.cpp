/// \file
/// Work of the kernels against operations and bytes counted by hand for small sizes.

#include <catch2/catch.hpp>

#include "kernels/kernel.hpp"

using namespace nasvm;

namespace {

Work work_of(const char* kernel, char problem_class, int tasks = 1, const std::string& variant = "") {
  Problem problem;
  problem.problem_class = problem_class;
  problem.variant = variant;
  return find_kernel(kernel)->work(problem, tasks);
}

}  // namespace

TEST_CASE("work: EP computes only") {
  const Work work = work_of("ep", 'S');
  CHECK(work.operations == Approx((1 << 24) * (12 + 0.785398163 * 45)));
  CHECK(work.bytes == 0);
}

TEST_CASE("work: MG goes through two fine grids in each cycle") {
  const Work work = work_of("mg", 'S');  // 32 points, 4 cycles, coarser grids of 16, 8, 4, 2
  const double fine = 32768;
  const double coarse = 4096 + 512 + 64 + 8;
  CHECK(work.operations == 58 * 4 * fine);
  CHECK(work.bytes == 4 * (24 * fine + 40 * coarse) + 16 * fine);
  CHECK(work.working_set_bytes == 16 * (fine + coarse));
}

TEST_CASE("work: CG reads its matrix 26 times in each outer step") {
  const Work work = work_of("cg", 'S');  // order 1400, 7 * 8 elements in a row, 15 outer steps
  const double elements = 1400 * 56;
  CHECK(work.bytes == 15 * (26 * elements * 10 + (25 * 11 + 3) * 1400 * 8.0));
  CHECK(work.operations == Approx(2 * 15 * 1400.0 * (3 + 56 + 25 * (5 + 56) + 3)));
  CHECK(work.working_set_bytes == elements * 10 + 5 * 1400 * 8);
}

TEST_CASE(
    "work: CG reads less of a matrix that does not fit into a core's caches, because a part of it is symmetric") {
  const double elements = 75000.0 * 13 * 14;
  const double vectors = 5 * 75000 * 8.0;
  CHECK(work_of("cg", 'B', 1).working_set_bytes == Approx(elements * 10 / 2 + vectors));
  // Two tasks halve what they have in common, but for those of the paper, of which only one works.
  CHECK(work_of("cg", 'B', 2).working_set_bytes == Approx(elements * 10 / 2 + vectors));
  CHECK(work_of("cg", 'B', 2, "paper").working_set_bytes == Approx(elements * 10 * 3 / 4 + vectors));
  CHECK(work_of("cg", 'C', 3).working_set_bytes == Approx(150000.0 * 15 * 16 * 10 * 5 / 6 + 2 * vectors));
  CHECK(work_of("cg", 'B', 8).working_set_bytes == Approx(elements * 10 * 15 / 16 + vectors));
  CHECK(work_of("cg", 'B', 200).working_set_bytes == Approx(elements * 10 + vectors));
}

TEST_CASE("work: FT goes three times through a field in each iteration") {
  const Work work = work_of("ft", 'S');  // 64 x 64 x 64, 6 iterations
  CHECK(work.bytes == (3 + 3 * 6) * 262144 * 16.0);
  CHECK(work.working_set_bytes == 2 * 262144 * 16.0);
  CHECK(work.operations == Approx(1e6 * find_kernel("ft")->mega_operations({})));
  CHECK(work_of("ft", 'S', 1, "paper").bytes == (3 + 4 * 6) * 262144 * 16.0);
}

TEST_CASE("work: IS reads keys once alone, and more often where they move") {
  const double keys = 65536;
  const double values = 2048;
  CHECK(work_of("is", 'S').bytes == 10 * (4 * keys + 5 * values));
  CHECK(work_of("is", 'S').operations == 10 * (keys + values));
  CHECK(work_of("is", 'S', 4).bytes == 10 * (4 * (keys + 2 * 0.75 * keys) + 5 * values));
  CHECK(work_of("is", 'S', 4).operations == 10 * (2 * keys + values));
  CHECK(work_of("is", 'S', 4, "paper").bytes == 10 * (4 * 9 * keys + (4 * 9 + 4) * values));
  CHECK(work_of("is", 'S', 4, "histogram").bytes == 10 * (4 * keys + (4 + 4) * values));
}

TEST_CASE("work: every kernel has operations in every class, and more in larger ones") {
  for (const Kernel& kernel : kernels()) {
    double before = 0;
    for (const char problem_class : std::string("SABC")) {
      Problem problem;
      problem.problem_class = problem_class;
      const Work work = kernel.work(problem, 2);
      CAPTURE(kernel.name, problem_class);
      CHECK(work.operations > before);
      CHECK(work.bytes >= 0);
      before = work.operations;
    }
  }
}
