#include "kernels/ft/fftw/layout.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace nasvm;
using namespace nasvm::ft;

namespace {

std::size_t sum(const std::vector<std::size_t>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0});
}

}  // namespace

TEST_CASE("ft layout: every point of a task has one place in the space layout") {
  const Grid grid{4, 7, 5};
  for (const int tasks : {1, 2, 3, 5, 6, 9}) {
    for (int rank = 0; rank < tasks; ++rank) {
      const Layout layout(grid, tasks, rank);
      std::vector<int> uses(static_cast<std::size_t>(layout.space_points()), 0);
      for (std::int64_t plane = 0; plane < layout.planes().size(); ++plane) {
        for (std::int64_t y = 0; y < grid.ny; ++y) {
          for (std::int64_t x = 0; x < grid.nx; ++x) {
            ++uses.at(static_cast<std::size_t>(layout.row_in_space(plane, y) + x));
          }
        }
      }
      CHECK(uses == std::vector<int>(uses.size(), 1));
    }
  }
}

TEST_CASE("ft layout: what a task sends to another is what that one expects of it") {
  const Grid grid{4, 7, 5};
  for (const int tasks : {1, 2, 3, 5, 6, 9}) {
    std::vector<Layout> layouts;
    for (int rank = 0; rank < tasks; ++rank) layouts.emplace_back(grid, tasks, rank);
    std::size_t space = 0;
    for (std::size_t from = 0; from < layouts.size(); ++from) {
      CHECK(sum(layouts[from].space_blocks()) == static_cast<std::size_t>(layouts[from].space_points()));
      CHECK(sum(layouts[from].frequency_blocks()) == static_cast<std::size_t>(layouts[from].frequency_points()));
      space += sum(layouts[from].space_blocks());
      for (std::size_t to = 0; to < layouts.size(); ++to) {
        CHECK(layouts[from].space_blocks()[to] == layouts[to].frequency_blocks()[from]);
      }
    }
    CHECK(space == static_cast<std::size_t>(grid.points()));
  }
}

TEST_CASE("ft layout: one task has plain arrays in both layouts") {
  const Layout layout({4, 7, 5}, 1, 0);
  CHECK(layout.row_in_space(3, 6) == (3 * 7 + 6) * 4);
  CHECK(layout.row_in_frequency(3, 6) == (3 * 7 + 6) * 4);
}

TEST_CASE("ft layout: more tasks than planes leave some with nothing") {
  const Layout layout({4, 7, 5}, 9, 8);
  CHECK(layout.space_points() == 0);
  CHECK(layout.frequency_points() == 0);
}
