#include "kernels/mg/hierarchy.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

namespace {

bool is_among(std::int64_t plane, Range range) { return plane >= range.begin && plane < range.end; }

bool contains(Range outer, Range inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

int wrapped(std::int64_t plane, int edge) { return static_cast<int>(((plane % edge) + edge) % edge); }

/// How often each plane of `needed` is the task's own or comes by a move from a task that owns it.
std::vector<int> times_provided(const Hierarchy& hierarchy, int level, int task, Range needed,
                                const std::vector<PlaneMove>& moves) {
  std::vector<int> times;
  for (std::int64_t z = needed.begin; z < needed.end; ++z) {
    times.push_back(is_among(z, hierarchy.planes(level, task)) ? 1 : 0);
  }
  for (const PlaneMove& move : moves) {
    if (move.to != task || !contains(hierarchy.planes(level, move.from), move.source)) continue;
    for (std::int64_t i = 0; i < move.source.size(); ++i) {
      const std::int64_t z = move.target + i;
      if (!is_among(z, needed)) return {};
      if (wrapped(z, Hierarchy::edge(level)) == move.source.begin + i)
        ++times[static_cast<std::size_t>(z - needed.begin)];
    }
  }
  return times;
}

bool all_once(const std::vector<int>& times) {
  return !times.empty() && std::ranges::all_of(times, [](int count) { return count == 1; });
}

}  // namespace

TEST_CASE("every plane of every grid has one owner, of merged grids all tasks") {
  const int tasks = GENERATE(1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 40, 100);
  const Hierarchy hierarchy(5, tasks);
  for (int level = 0; level < hierarchy.levels(); ++level) {
    for (std::int64_t plane = 0; plane < Hierarchy::edge(level); ++plane) {
      int owners = 0;
      for (int task = 0; task < tasks; ++task) owners += is_among(plane, hierarchy.planes(level, task)) ? 1 : 0;
      CHECK(owners == (hierarchy.is_whole(level) ? tasks : 1));
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
    for (int task = 0; task < tasks; ++task) {
      for (std::int64_t plane = 0; plane < Hierarchy::edge(level); ++plane) {
        const bool has_partner = is_among(2 * plane + 1, hierarchy.planes(level + 1, task));
        CHECK(is_among(plane, hierarchy.partner_planes(level, task)) == has_partner);
        CHECK(is_among(plane, hierarchy.planes(level, task)) == (has_partner || hierarchy.is_whole(level)));
      }
    }
  }
}

TEST_CASE("tasks leave on the way to coarse grids, and share merged ones") {
  const Hierarchy hierarchy(6, 40, 8);
  const auto owners = [&](int level) {
    int count = 0;
    for (int task = 0; task < 40; ++task) count += hierarchy.planes(level, task).size() > 0 ? 1 : 0;
    return count;
  };
  CHECK(owners(5) == 40);  // 64 planes
  CHECK(owners(4) == 32);
  CHECK(owners(3) == 16);
  CHECK(owners(2) == 40);  // merged
  CHECK(hierarchy.planes(2, 17).size() == 8);
  CHECK(hierarchy.is_gathered(2));
  CHECK_FALSE(hierarchy.is_gathered(1));
  CHECK(hierarchy.is_whole(1));
  CHECK_FALSE(hierarchy.is_whole(3));
}

TEST_CASE("a task alone gathers nothing and has every grid") {
  const Hierarchy hierarchy(5, 1);
  for (int level = 0; level < 5; ++level) {
    CHECK_FALSE(hierarchy.is_gathered(level));
    CHECK(hierarchy.is_whole(level));
  }
}

TEST_CASE("tasks beyond the number of planes are not active") {
  const Hierarchy hierarchy(5, 40);
  CHECK(hierarchy.is_active(31));
  CHECK_FALSE(hierarchy.is_active(32));
}

TEST_CASE("moves provide every plane that a sweep reads, once") {
  const int tasks = GENERATE(1, 2, 3, 4, 5, 7, 11, 16, 17, 31, 32, 33, 40);
  const Hierarchy hierarchy(5, tasks, GENERATE(0, 4, 16));
  for (int level = 0; level < hierarchy.levels(); ++level) {
    const auto moves = hierarchy.moves(level);
    for (int task = 0; task < tasks; ++task) {
      if (!hierarchy.is_active(task)) continue;
      const Range needed =
          level == hierarchy.finest() ? hierarchy.window(level, task) : hierarchy.residual_planes(level, task);
      CHECK(all_once(times_provided(hierarchy, level, task, needed, moves)));
    }
  }
}

TEST_CASE("what a task computes and keeps suffices for its finer grid and its restriction") {
  const int tasks = GENERATE(1, 2, 3, 5, 7, 16, 17, 31, 32);
  const Hierarchy hierarchy(5, tasks, GENERATE(0, 4, 16));
  for (int task = 0; task < tasks; ++task) {
    for (int level = 0; level < hierarchy.finest(); ++level) {
      const Range stored = hierarchy.stored_planes(level, task);
      const Range made = hierarchy.correction_planes(level, task);
      const Range finer = hierarchy.window(level + 1, task);
      for (std::int64_t z = finer.begin; z < finer.end; ++z) {
        for (const std::int64_t c : {(z - 1) >> 1, z >> 1}) {
          CHECK(is_among(c, stored));
          CHECK((is_among(c, made) || hierarchy.is_whole(level)));
        }
      }
      // Restricting reads fine planes 2c .. 2c+2 for each coarse plane c.
      const Range partners = hierarchy.partner_planes(level, task);
      const Range residuals = hierarchy.residual_planes(level + 1, task);
      if (partners.size() > 0) CHECK(contains(residuals, {2 * partners.begin, 2 * partners.end + 1}));
      if (partners.size() > 0) CHECK(contains(hierarchy.residual_planes(level, task), partners));
    }
  }
}

TEST_CASE("images repeat a whole grid on both sides") {
  const Hierarchy hierarchy(3, 1);
  const auto images = hierarchy.moves_to(0, 0, {-3, 4});
  std::vector<std::vector<std::int64_t>> found;
  for (const PlaneMove& move : images) found.push_back({move.source.begin, move.source.end, move.target});
  CHECK(found == std::vector<std::vector<std::int64_t>>{{1, 2, -3}, {0, 2, -2}, {0, 2, 2}});
}

TEST_CASE("a hierarchy needs grids and tasks") {
  CHECK_THROWS_AS(Hierarchy(1, 4), std::invalid_argument);
  CHECK_THROWS_AS(Hierarchy(5, 0), std::invalid_argument);
}
