#include "kernels/mg/paper/ring.hpp"

namespace nasvm::mg {
namespace {

/// The moves that bring shadows to each task for which `needs(task)`.
template <typename Needs>
std::vector<PlaneMove> shadow_moves(const Hierarchy& ring, int level, const Needs& needs) {
  std::vector<PlaneMove> moves;
  for (int task = 0; task < ring.tasks(); ++task) {
    if (!needs(task)) continue;
    const std::vector<PlaneMove> to_task = ring.moves_to(level, task, with_shadows(ring, level, task));
    moves.insert(moves.end(), to_task.begin(), to_task.end());
  }
  return moves;
}

}  // namespace

Hierarchy ring_of_slabs(int levels, int tasks) {
  constexpr int no_merged_grids = 0;
  return {levels, tasks, no_merged_grids};
}

bool takes_part(const Hierarchy& ring, int level, int task) { return ring.planes(level, task).size() > 0; }

Range with_shadows(const Hierarchy& ring, int level, int task) { return ring.planes(level, task).widened(1); }

std::vector<PlaneMove> border_moves(const Hierarchy& ring, int level) {
  return shadow_moves(ring, level, [&](int task) { return takes_part(ring, level, task); });
}

std::vector<PlaneMove> rejoin_moves(const Hierarchy& ring, int level) {
  return shadow_moves(ring, level,
                      [&](int task) { return takes_part(ring, level + 1, task) && !takes_part(ring, level, task); });
}

}  // namespace nasvm::mg
