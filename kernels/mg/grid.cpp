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

}  // namespace nasvm::mg
