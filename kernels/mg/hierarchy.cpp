#include "kernels/mg/hierarchy.hpp"

#include <algorithm>
#include <stdexcept>

namespace nasvm::mg {
namespace {

using Bounds = std::vector<std::int64_t>;

Bounds even_bounds(int edge, int tasks) {
  Bounds bounds;
  for (int task = 0; task < tasks; ++task) bounds.push_back(share(edge, tasks, task).begin);
  bounds.push_back(edge);
  return bounds;
}

Bounds halved(Bounds bounds) {
  for (std::int64_t& bound : bounds) bound /= 2;
  return bounds;
}

/// Everything belongs to task 0.
Bounds merged_bounds(int edge, int tasks) {
  Bounds bounds(static_cast<std::size_t>(tasks) + 1, edge);
  bounds.front() = 0;
  return bounds;
}

}  // namespace

Hierarchy::Hierarchy(int levels, int tasks, int merge_edge) : tasks_(tasks) {
  if (levels < 2 || tasks < 1) throw std::invalid_argument("mg: at least two grids and one task");
  bounds_.resize(static_cast<std::size_t>(levels));
  bounds_.back() = even_bounds(edge(finest()), tasks);
  for (int level = finest() - 1; level >= 0; --level) {
    const auto at = static_cast<std::size_t>(level);
    const bool merge = tasks > 1 && edge(level) <= merge_edge;
    if (merge && gathered_level_ < 0) gathered_level_ = level;
    bounds_[at] = merge ? merged_bounds(edge(level), tasks) : halved(bounds_[at + 1]);
  }
}

Range Hierarchy::planes(int level, int task) const {
  const Bounds& bounds = bounds_[static_cast<std::size_t>(level)];
  return {bounds[static_cast<std::size_t>(task)], bounds[static_cast<std::size_t>(task) + 1]};
}

Range Hierarchy::partner_planes(int level, int task) const {
  const Range fine = planes(level + 1, task);
  return {fine.begin / 2, fine.end / 2};
}

int Hierarchy::owner(int level, std::int64_t plane) const {
  const Bounds& bounds = bounds_[static_cast<std::size_t>(level)];
  const std::int64_t wrapped = (plane + edge(level)) % edge(level);
  // The last task that begins at or before the plane: those before it that begin there too have no planes.
  return static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), wrapped) - bounds.begin()) - 1;
}

PlaneMove Hierarchy::move_to(int task, int level, std::int64_t plane, Side side) const {
  return {owner(level, plane), task, (plane + edge(level)) % edge(level), side};
}

std::vector<PlaneMove> Hierarchy::halo_moves(int level) const {
  std::vector<PlaneMove> moves;
  for (int task = 0; task < tasks_; ++task) {
    if (!active(level, task)) continue;
    const Range slab = planes(level, task);
    moves.push_back(move_to(task, level, slab.begin - 1, Side::below));
    moves.push_back(move_to(task, level, slab.end, Side::above));
  }
  return moves;
}

std::vector<PlaneMove> Hierarchy::prolongation_moves(int level) const {
  std::vector<PlaneMove> moves;
  for (int task = 0; task < tasks_; ++task) {
    if (!active(level + 1, task)) continue;
    const Range partners = partner_planes(level, task);
    moves.push_back(move_to(task, level, partners.begin - 1, Side::below));
    moves.push_back(move_to(task, level, partners.end, Side::above));
  }
  return moves;
}

std::vector<PlaneMove> Hierarchy::restriction_moves(int level) const {
  std::vector<PlaneMove> moves;
  for (int task = 0; task < tasks_; ++task) {
    if (partner_planes(level - 1, task).size() == 0) continue;
    const Range slab = planes(level, task);
    if (slab.begin % 2 != 0) moves.push_back(move_to(task, level, slab.begin - 1, Side::below));
    if (slab.end % 2 == 0) moves.push_back(move_to(task, level, slab.end, Side::above));
  }
  return moves;
}

}  // namespace nasvm::mg
