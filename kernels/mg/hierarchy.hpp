#pragma once
/// \file
/// Which task owns which planes of which grid, which planes it computes and keeps besides, and which planes must move
/// between tasks for that. No communication here: all tasks know the whole plan.
///
/// Every grid is cut in z into slabs, one per task, in rank order. The finest is divided as evenly as whole planes
/// allow. A coarse plane belongs to the task that owns its fine partner (coarse plane c sits on fine plane 2c+1), so
/// the bounds of the slabs halve, rounded down, from grid to grid. Grids of at most `merge_edge` points along an edge
/// belong to every task: all compute them whole, since messages would cost more than that.
///
/// On the way up tasks send nothing. Each computes the planes beyond its slab that its next finer grid will need, as
/// deep as necessary (a few planes: what the finer grid needs is halved); what it needs for that is the residuals of
/// those planes. So one exchange for each grid suffices, on the way down.
/// Source of the slabs: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks,
/// section 4.2.

#include <cstdint>
#include <vector>

#include "kernels/common/partition.hpp"

namespace nasvm::mg {

/// Consecutive planes of `from` that `to` needs. The grid is periodic: the receiver may number them as others of
/// their images (plane -1 is the last), and `from` may be `to`.
struct PlaneMove {
  int from = 0;
  int to = 0;
  Range source;             ///< at their owner, within the grid
  std::int64_t target = 0;  ///< number of the first at the receiver
};

class Hierarchy {
 public:
  static constexpr int default_merge_edge = 16;

  /// `levels` grids of 2, 4, ... 2^levels points along an edge, numbered from 0; the finest is never merged.
  Hierarchy(int levels, int tasks, int merge_edge = default_merge_edge);

  [[nodiscard]] int levels() const { return static_cast<int>(bounds_.size()); }
  [[nodiscard]] int finest() const { return levels() - 1; }
  [[nodiscard]] int tasks() const { return tasks_; }
  [[nodiscard]] static int edge(int level) { return 2 << level; }

  /// The planes whose values at the task count; on a merged grid that is all of them, for every task.
  [[nodiscard]] Range planes(int level, int task) const;
  /// Whether each task has the whole grid.
  [[nodiscard]] bool is_whole(int level) const;
  /// Whether the grid is the finest of those that are merged: there the residual is gathered.
  [[nodiscard]] bool is_gathered(int level) const { return level == gathered_level_; }
  /// A task without planes of the finest grid computes nothing.
  [[nodiscard]] bool is_active(int task) const { return planes(finest(), task).size() > 0; }
  /// The planes of `level` whose fine partners on level+1 the task owns: those that it restricts to.
  [[nodiscard]] Range partner_planes(int level, int task) const;

  /// What follows is for active tasks.

  /// Planes of u that go through the sweep of this grid. On the finest those whose residuals the restriction to the
  /// partner planes takes, and three more at each end; on the others the correction planes, and two more at each end.
  [[nodiscard]] Range window(int level, int task) const;
  /// Planes of the right-hand side (finest grid: v, the others: r) that the task must have: all in the window but the
  /// first and the last.
  [[nodiscard]] Range residual_planes(int level, int task) const;
  /// Below the finest grid: planes of u that the sweep makes and the next finer window needs. Whole grids: one period
  /// of them.
  [[nodiscard]] Range correction_planes(int level, int task) const;
  /// All planes of u that are ever needed.
  [[nodiscard]] Range stored_planes(int level, int task) const;

  /// What a task must be sent, or must copy from itself, before a sweep: on the finest grid of u, all the window, on
  /// the others of r, the residual planes. Of one receiver in increasing order.
  [[nodiscard]] std::vector<PlaneMove> moves(int level) const;
  /// The moves that bring a task those of the `needed` planes that are not its own, in increasing order.
  [[nodiscard]] std::vector<PlaneMove> moves_to(int level, int task, Range needed) const;

 private:
  [[nodiscard]] Range needed_by_finer(int level, int task) const;
  [[nodiscard]] int owner(int level, std::int64_t plane, int asking) const;
  void append_moves(std::vector<PlaneMove>& moves, int level, int task, Range needed) const;

  int tasks_;
  int gathered_level_ = -1;
  /// [level][task]: where the task's slab begins; one more at the end. Empty for merged grids.
  std::vector<std::vector<std::int64_t>> bounds_;
};

}  // namespace nasvm::mg
