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

Range hull(Range a, Range b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

}  // namespace

Hierarchy::Hierarchy(int levels, int tasks, int merge_edge) : tasks_(tasks) {
  if (levels < 2 || tasks < 1) throw std::invalid_argument("mg: at least two grids and one task");
  bounds_.resize(static_cast<std::size_t>(levels));
  bounds_.back() = even_bounds(edge(finest()), tasks);
  for (int level = finest() - 1; level >= 0; --level) {
    if (tasks > 1 && edge(level) <= merge_edge) {
      gathered_level_ = level;
      break;
    }
    bounds_[static_cast<std::size_t>(level)] = halved(bounds_[static_cast<std::size_t>(level) + 1]);
  }
}

bool Hierarchy::is_whole(int level) const { return tasks_ == 1 || level <= gathered_level_; }

Range Hierarchy::planes(int level, int task) const {
  if (is_whole(level)) return {0, edge(level)};
  const Bounds& bounds = bounds_[static_cast<std::size_t>(level)];
  return {bounds[static_cast<std::size_t>(task)], bounds[static_cast<std::size_t>(task) + 1]};
}

Range Hierarchy::partner_planes(int level, int task) const {
  const Range fine = planes(level + 1, task);
  return {fine.begin / 2, fine.end / 2};
}

int Hierarchy::owner(int level, std::int64_t plane, int asking) const {
  if (planes(level, asking).contains(plane)) return asking;
  const Bounds& bounds = bounds_[static_cast<std::size_t>(level)];
  // The last task that begins at or before the plane: those before it that begin there too have no planes.
  return static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), plane) - bounds.begin()) - 1;
}

Range Hierarchy::needed_by_finer(int level, int task) const {
  const Range finer = window(level + 1, task);
  return {(finer.begin - 1) >> 1, (finer.end + 1) >> 1};
}

Range Hierarchy::window(int level, int task) const {
  if (level < finest()) return correction_planes(level, task).widened(2);
  const Range partners = partner_planes(level - 1, task);
  return Range{2 * partners.begin, 2 * partners.end + 1}.widened(3);
}

Range Hierarchy::residual_planes(int level, int task) const { return window(level, task).widened(-1); }

Range Hierarchy::correction_planes(int level, int task) const {
  return is_whole(level) ? planes(level, task) : needed_by_finer(level, task);
}

Range Hierarchy::stored_planes(int level, int task) const {
  const Range swept = window(level, task);
  return level == finest() ? swept : hull(swept, needed_by_finer(level, task));
}

std::vector<PlaneMove> Hierarchy::moves(int level) const {
  std::vector<PlaneMove> moves;
  for (int task = 0; task < tasks_; ++task) {
    if (!is_active(task)) continue;
    append_moves(moves, level, task, level == finest() ? window(level, task) : residual_planes(level, task));
  }
  return moves;
}

std::vector<PlaneMove> Hierarchy::moves_to(int level, int task, Range needed) const {
  std::vector<PlaneMove> moves;
  append_moves(moves, level, task, needed);
  return moves;
}

void Hierarchy::append_moves(std::vector<PlaneMove>& moves, int level, int task, Range needed) const {
  const std::int64_t period = edge(level);
  const Range own = planes(level, task);
  bool continues = false;
  for (std::int64_t z = needed.begin; z < needed.end; ++z) {
    if (own.contains(z)) {
      continues = false;
      continue;
    }
    const std::int64_t source = z & (period - 1);
    const int from = owner(level, source, task);
    if (continues && moves.back().from == from && moves.back().source.end == source) {
      ++moves.back().source.end;
    } else {
      moves.push_back({from, task, {source, source + 1}, z});
    }
    continues = true;
  }
}

}  // namespace nasvm::mg
