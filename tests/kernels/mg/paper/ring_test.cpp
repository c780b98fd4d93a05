#include "kernels/mg/paper/ring.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

namespace {

int tasks_at(const Hierarchy& ring, int level) {
  int count = 0;
  for (int task = 0; task < ring.tasks(); ++task) count += takes_part(ring, level, task) ? 1 : 0;
  return count;
}

/// The planes that a task has of a grid after these moves, as it numbers them.
std::set<std::int64_t> planes_at(const Hierarchy& ring, int level, int task, const std::vector<PlaneMove>& moves) {
  std::set<std::int64_t> planes;
  const Range slab = ring.planes(level, task);
  for (std::int64_t z = slab.begin; z < slab.end; ++z) planes.insert(z);
  const std::int64_t edge = Hierarchy::edge(level);
  for (const PlaneMove& move : moves) {
    if (move.to != task) continue;
    for (std::int64_t i = 0; i < move.source.size(); ++i) {
      const std::int64_t source = move.source.begin + i;
      CHECK(ring.planes(level, move.from).contains(source));
      CHECK((move.target + i - source) % edge == 0);
      CHECK(planes.insert(move.target + i).second);  // nothing comes twice
    }
  }
  return planes;
}

std::set<std::int64_t> all_of(Range range) {
  std::set<std::int64_t> planes;
  for (std::int64_t z = range.begin; z < range.end; ++z) planes.insert(z);
  return planes;
}

}  // namespace

TEST_CASE("mg: on a ring every task has both shadows after an exchange of two messages each") {
  const int tasks = GENERATE(range(1, 18), values({31, 32, 33}));
  const Hierarchy ring = ring_of_slabs(5, tasks);
  for (int level = 0; level <= ring.finest(); ++level) {
    CAPTURE(tasks, level);
    const std::vector<PlaneMove> moves = border_moves(ring, level);
    CHECK(moves.size() == 2 * static_cast<std::size_t>(tasks_at(ring, level)));
    for (int task = 0; task < tasks; ++task) {
      if (!takes_part(ring, level, task)) continue;
      CHECK(planes_at(ring, level, task, moves) == all_of(with_shadows(ring, level, task)));
    }
  }
}

TEST_CASE("mg: with powers of two as many tasks take part as there are planes, and leavers get two planes back") {
  const int tasks = GENERATE(1, 2, 4, 8, 16, 32);
  const Hierarchy ring = ring_of_slabs(5, tasks);
  for (int level = 0; level < ring.finest(); ++level) {
    CAPTURE(tasks, level);
    CHECK(tasks_at(ring, level) == std::min(tasks, Hierarchy::edge(level)));
    const int leavers = tasks_at(ring, level + 1) - tasks_at(ring, level);
    CHECK(rejoin_moves(ring, level).size() == 2 * static_cast<std::size_t>(leavers));
  }
}

TEST_CASE("mg: all that takes part in a finer grid can prolongate to it once the leavers have rejoined") {
  const int tasks = GENERATE(range(1, 18), values({31, 32, 33}));
  const Hierarchy ring = ring_of_slabs(5, tasks);
  for (int level = 0; level < ring.finest(); ++level) {
    CAPTURE(tasks, level);
    std::vector<PlaneMove> moves = border_moves(ring, level);
    const std::vector<PlaneMove> rejoining = rejoin_moves(ring, level);
    moves.insert(moves.end(), rejoining.begin(), rejoining.end());
    for (int task = 0; task < tasks; ++task) {
      if (!takes_part(ring, level + 1, task)) continue;
      const std::set<std::int64_t> planes = planes_at(ring, level, task, moves);
      const Range fine = ring.planes(level + 1, task);
      for (std::int64_t z = fine.begin; z < fine.end; ++z) {
        CHECK(planes.contains(z >> 1));  // rounded down
        CHECK(planes.contains((z - 1) >> 1));
      }
    }
  }
}
