#include "kernels/mg/grid.hpp"

#include <algorithm>

#include "kernels/mg/parallel.hpp"

namespace nasvm::mg {
Grid::Grid(int edge, Range planes, int threads) : edge_(edge), planes_(planes) {
  const auto stored = static_cast<std::size_t>(planes.size());
  if (stored == 0) return;
  values_.reset(stored * stride(edge));
  zero(threads);
}

void Grid::zero(int threads) {
  for_planes(threads, planes_, [this](std::int64_t z) { std::fill_n(plane(z), stride(edge_), 0.0); });
}

KernelState Grid::state_of(Range planes) {
  const std::uint64_t plane_bytes = points(edge_) * sizeof(double);
  const auto edge = static_cast<std::uint64_t>(edge_);
  KernelState state{.layout = "u by z, y, x", .array_bytes = edge * plane_bytes, .pieces = {}};
  for (std::int64_t z = planes.begin; z < planes.end; ++z) {
    const std::int64_t in_grid = ((z % edge_) + edge_) % edge_;
    state.pieces.push_back({static_cast<std::uint64_t>(in_grid) * plane_bytes, std::as_writable_bytes(span(z))});
  }
  return state;
}

}  // namespace nasvm::mg
