#include "kernels/mg/grid.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

TEST_CASE("a grid has its planes and one halo plane on each side, all zero at first") {
  const int edge = GENERATE(4, 64);
  Grid grid(edge, {3, 6}, 2);
  for (std::int64_t z = 2; z <= 6; ++z) {
    CHECK(grid.span(z).size() == static_cast<std::size_t>(edge * edge));
    CHECK(std::ranges::all_of(grid.span(z), [](double value) { return value == 0; }));
  }
}

TEST_CASE("planes do not overlap, and zero clears them all") {
  Grid grid(64, {0, 2}, 1);
  for (std::int64_t z = -1; z <= 2; ++z) std::ranges::fill(grid.span(z), static_cast<double>(z + 5));
  for (std::int64_t z = -1; z <= 2; ++z) {
    CHECK(std::ranges::all_of(grid.span(z), [z](double value) { return value == static_cast<double>(z + 5); }));
  }
  grid.zero(2);
  for (std::int64_t z = -1; z <= 2; ++z) {
    CHECK(std::ranges::all_of(grid.span(z), [](double value) { return value == 0; }));
  }
}

TEST_CASE("small planes lie without gaps") {
  Grid grid(8, {0, 8}, 1);
  const std::span<double> all = grid.span(Range{-1, 9});
  CHECK(all.data() == grid.plane(-1));
  CHECK(all.size() == 10 * 64);
  CHECK(grid.plane(8) == all.data() + 9 * 64);
}

TEST_CASE("a grid may have no planes but its halo") {
  Grid grid(8, {3, 3}, 2);
  std::ranges::fill(grid.span(2), 1.0);
  std::ranges::fill(grid.span(3), 2.0);
  CHECK(grid.plane(2)[63] == 1.0);
  CHECK(grid.plane(3)[0] == 2.0);
}
