#pragma once
/// \file
/// Which task owns which planes of which grid, and which planes must move between tasks.
///
/// Every grid is cut in z into slabs, one per task, in rank order. The finest is divided as evenly as whole planes
/// allow. A coarse plane belongs to the task that owns its fine partner (coarse plane c sits on fine plane 2c+1), so
/// the bounds of the slabs halve, rounded down, from grid to grid; tasks whose slab becomes empty leave on the
/// way down and rejoin on the way up. Grids of at most `merge_edge` points along an edge belong to task 0 alone:
/// there messages would cost more than the computing that they spread. No communication here: all tasks know the
/// whole plan. Source: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks,
/// section 4.2.

#include <cstdint>
#include <vector>

#include "kernels/common/partition.hpp"

namespace nasvm::mg {

enum class Side : std::uint8_t { below, above };

/// A plane of `from` that `to` needs in its halo. `from` may be `to`: the grid is periodic.
struct PlaneMove {
  int from = 0;
  int to = 0;
  std::int64_t plane = 0;  ///< at its owner: 0 <= plane < edge
  Side side = Side::below;
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

  /// The planes that the task owns and computes on.
  [[nodiscard]] Range planes(int level, int task) const;
  [[nodiscard]] bool active(int level, int task) const { return planes(level, task).size() > 0; }
  /// The planes of `level` whose fine partners on level+1 the task owns: those that it restricts to.
  [[nodiscard]] Range partner_planes(int level, int task) const;
  /// Whether the grid is the finest of those that belong to task 0 alone: its values are gathered there and
  /// handed out again, instead of moving between neighbours.
  [[nodiscard]] bool gathered(int level) const { return level == gathered_level_; }
  /// `plane` may lie outside the grid by less than an edge (periodic).
  [[nodiscard]] int owner(int level, std::int64_t plane) const;

  /// Both halo planes of every active task: what the 27-point operators need.
  [[nodiscard]] std::vector<PlaneMove> halo_moves(int level) const;
  /// The planes of `level` beside the partner planes of every task that is active on level+1: what
  /// prolongation to its slab and its halo there needs.
  [[nodiscard]] std::vector<PlaneMove> prolongation_moves(int level) const;
  /// The planes of `level` outside its slab that a task needs to restrict to its partner planes on level-1: the even
  /// one of the two planes at every bound.
  [[nodiscard]] std::vector<PlaneMove> restriction_moves(int level) const;

 private:
  [[nodiscard]] PlaneMove move_to(int task, int level, std::int64_t plane, Side side) const;

  int tasks_;
  int gathered_level_ = -1;
  /// [level][task]: where the task's slab begins; one more at the end.
  std::vector<std::vector<std::int64_t>> bounds_;
};

}  // namespace nasvm::mg
