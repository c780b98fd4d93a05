// What CG needs of memory: its formula for several processors.
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/problem.hpp"
#include "kernels/cg/processors.hpp"

using namespace nasvm;
using namespace nasvm::cg;

TEST_CASE("cg: memory is that of the matrix as it is assembled, and of the forms that it is kept in") {
  const std::vector<Cache>& caches = cg::test::processors[0].caches;  // 1 MiB, and 32 MiB that cores share
  const auto bytes_of_element = [&](char letter, int tasks, int threads) {
    const Parameters& problem = parameters(letter);
    const double rows = 16.0 * static_cast<double>(problem.order);
    return (static_cast<double>(matrix_memory_bytes(problem, 1, tasks, threads, caches)) - rows) /
           expected_elements(problem, problem.order, problem.order);
  };
  // Class A has 20 MB, which are tried in two forms, until each thread has less than 1 MiB.
  CHECK(bytes_of_element('A', 1, 1) == Approx(35));
  CHECK(bytes_of_element('A', 2, 1) == Approx(34));
  CHECK(bytes_of_element('A', 1, 32) == Approx(23));
  CHECK(bytes_of_element('A', 32, 1) == Approx(22));
  // Class B has 147 MB; two tasks keep three quarters.
  CHECK(bytes_of_element('B', 1, 1) == Approx(23));
  CHECK(bytes_of_element('B', 2, 1) == Approx(22));
  CHECK(bytes_of_element('B', 2, 2) == Approx(34));
  CHECK(bytes_of_element('B', 4, 1) == Approx(22));
  CHECK(bytes_of_element('B', 8, 1) == Approx(34));
}
