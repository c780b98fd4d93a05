#include "kernels/mg/grid.hpp"

#include <algorithm>
#include <cstdint>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

TEST_CASE("a grid is zero at first") {
  const int edge = GENERATE(4, 64);
  Grid grid(edge, {-2, 6}, 2);
  for (std::int64_t z = -2; z < 6; ++z) {
    CHECK(grid.span(z).size() == static_cast<std::size_t>(edge * edge));
    CHECK(std::ranges::all_of(grid.span(z), [](double value) { return value == 0; }));
  }
}

TEST_CASE("planes do not overlap, and zero clears them all") {
  Grid grid(64, {-1, 3}, 1);
  for (std::int64_t z = -1; z < 3; ++z) std::ranges::fill(grid.span(z), static_cast<double>(z + 5));
  for (std::int64_t z = -1; z < 3; ++z) {
    CHECK(std::ranges::all_of(grid.span(z), [z](double value) { return value == static_cast<double>(z + 5); }));
  }
  grid.zero(2);
  for (std::int64_t z = -1; z < 3; ++z) {
    CHECK(std::ranges::all_of(grid.span(z), [](double value) { return value == 0; }));
  }
}

TEST_CASE("several planes are one piece, with gaps between large ones") {
  const int edge = GENERATE(8, 64);
  Grid grid(edge, {-1, 9}, 1);
  const std::span<double> piece = grid.span(Range{2, 5});
  CHECK(piece.data() == grid.plane(2));
  CHECK(piece.data() + piece.size() == grid.plane(4) + edge * edge);
  CHECK(Grid::elements(edge, 3) == piece.size());
  CHECK(grid.span(Range{2, 2}).empty());
  CHECK((grid.plane(3) - grid.plane(2) > edge * edge) == (edge == 64));
}

TEST_CASE("a grid may have no planes") { CHECK(Grid(8, {3, 3}, 2).planes().size() == 0); }

TEST_CASE("planes are aligned for vectors") {
  Grid grid(64, {0, 3}, 1);
  for (std::int64_t z = 0; z < 3; ++z) CHECK(reinterpret_cast<std::uintptr_t>(grid.plane(z)) % 64 == 0);
}
