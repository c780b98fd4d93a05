#include "kernels/mg/hierarchy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

namespace {

bool is_among(std::int64_t plane, Range range) { return plane >= range.begin && plane < range.end; }

/// Whether a task has a plane of a level: as its own, or by one of the moves.
bool is_provided(const Hierarchy& hierarchy, int level, int task, std::int64_t plane,
                 const std::vector<PlaneMove>& moves) {
  const int edge = Hierarchy::edge(level);
  const std::int64_t wrapped = (plane + edge) % edge;
  if (is_among(plane, hierarchy.planes(level, task))) return true;
  return std::any_of(moves.begin(), moves.end(), [&](const PlaneMove& move) {
    return move.to == task && move.plane == wrapped && move.from == hierarchy.owner(level, wrapped);
  });
}

}  // namespace

TEST_CASE("every plane of every grid has one owner") {
  const int tasks = GENERATE(1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 40, 100);
  const Hierarchy hierarchy(5, tasks);
  for (int level = 0; level < hierarchy.levels(); ++level) {
    for (std::int64_t plane = 0; plane < Hierarchy::edge(level); ++plane) {
      int owners = 0;
      for (int task = 0; task < tasks; ++task) {
        if (!is_among(plane, hierarchy.planes(level, task))) continue;
        ++owners;
        CHECK(hierarchy.owner(level, plane) == task);
      }
      CHECK(owners == 1);
    }
  }
}

TEST_CASE("the finest grid is divided evenly") {
  const Hierarchy hierarchy(8, 7);
  for (int task = 0; task < 7; ++task) {
    const std::int64_t planes = hierarchy.planes(hierarchy.finest(), task).size();
    CHECK((planes == 36 || planes == 37));
  }
}

TEST_CASE("a coarse plane belongs to the owner of its fine partner, until grids merge") {
  const int tasks = GENERATE(1, 2, 3, 6, 7, 13, 32, 40);
  const Hierarchy hierarchy(6, tasks, 4);
  for (int level = 0; level < hierarchy.finest(); ++level) {
    const bool merged = tasks > 1 && Hierarchy::edge(level) <= 4;
    for (std::int64_t plane = 0; plane < Hierarchy::edge(level); ++plane) {
      const int partner_owner = hierarchy.owner(level + 1, 2 * plane + 1);
      CHECK(is_among(plane, hierarchy.partner_planes(level, partner_owner)));
      CHECK(hierarchy.owner(level, plane) == (merged ? 0 : partner_owner));
    }
  }
}

TEST_CASE("tasks leave on the way to coarse grids") {
  const Hierarchy hierarchy(6, 40, 8);
  const auto active = [&](int level) {
    int count = 0;
    for (int task = 0; task < 40; ++task) count += hierarchy.active(level, task) ? 1 : 0;
    return count;
  };
  CHECK(active(5) == 40);  // 64 planes
  CHECK(active(4) == 32);
  CHECK(active(3) == 16);
  CHECK(active(2) == 1);  // merged
  CHECK(hierarchy.gathered(2));
  CHECK_FALSE(hierarchy.gathered(1));
}

TEST_CASE("a task alone gathers nothing") {
  const Hierarchy hierarchy(5, 1);
  for (int level = 0; level < 5; ++level) CHECK_FALSE(hierarchy.gathered(level));
}

TEST_CASE("moves provide the planes that each operation reads") {
  const int tasks = GENERATE(1, 2, 3, 4, 5, 7, 11, 16, 17, 31, 32, 33, 40);
  const Hierarchy hierarchy(5, tasks, GENERATE(2, 4, 16));
  for (int level = 0; level < hierarchy.levels(); ++level) {
    const auto halo = hierarchy.halo_moves(level);
    const auto restriction = level > 0 ? hierarchy.restriction_moves(level) : std::vector<PlaneMove>{};
    const auto prolongation = level > 0 ? hierarchy.prolongation_moves(level - 1) : std::vector<PlaneMove>{};
    for (int task = 0; task < tasks; ++task) {
      const Range own = hierarchy.planes(level, task);
      for (std::int64_t z = own.begin; z < own.end; ++z) {
        for (const std::int64_t read : {z - 1, z, z + 1}) CHECK(is_provided(hierarchy, level, task, read, halo));
      }
      if (level == 0) continue;
      const Range partners = hierarchy.partner_planes(level - 1, task);
      for (std::int64_t c = partners.begin; c < partners.end; ++c) {
        for (const std::int64_t read : {2 * c, 2 * c + 1, 2 * c + 2}) {
          CHECK(is_provided(hierarchy, level, task, read, restriction));
        }
      }
      // Prolongation fills the halo too: fine planes begin-1 .. end, from the coarse planes around them.
      if (own.size() == 0 || hierarchy.gathered(level - 1)) continue;
      for (std::int64_t c = partners.begin - 1; c <= partners.end; ++c) {
        CHECK(is_provided(hierarchy, level - 1, task, c, prolongation));
      }
    }
  }
}

TEST_CASE("no move brings the same side of a task twice") {
  const Hierarchy hierarchy(5, GENERATE(1, 2, 3, 17, 40), 2);
  for (int level = 1; level < hierarchy.levels(); ++level) {
    for (auto moves : {hierarchy.halo_moves(level), hierarchy.restriction_moves(level),
                       hierarchy.prolongation_moves(level - 1)}) {
      const auto key = [](const PlaneMove& move) { return std::pair(move.to, move.side); };
      std::ranges::sort(moves, {}, key);
      CHECK(std::ranges::adjacent_find(moves, {}, key) == moves.end());
    }
  }
}

TEST_CASE("a hierarchy needs grids and tasks") {
  CHECK_THROWS_AS(Hierarchy(1, 4), std::invalid_argument);
  CHECK_THROWS_AS(Hierarchy(5, 0), std::invalid_argument);
}
