#include "kernels/mg/grid.hpp"

#include <algorithm>
#include <string>

#include "kernels/common/large_memory.hpp"
#include "kernels/mg/parallel.hpp"
#include "vm/status.hpp"

namespace nasvm::mg {
namespace {

void* take_memory(std::size_t bytes) {
  void* memory = allocate_large(bytes);
  if (memory == nullptr) {
    throw RunError("mg: no memory for a grid of " + std::to_string(bytes) +
                   " bytes: use more hosts or a smaller class");
  }
  return memory;
}

}  // namespace

Grid::Grid(int edge, Range planes, int threads) : edge_(edge), planes_(planes) {
  const auto stored = static_cast<std::size_t>(planes.size());
  if (stored == 0) return;
  values_.reset(static_cast<double*>(take_memory(stored * stride(edge) * sizeof(double))));
  zero(threads);
}

void Grid::zero(int threads) {
  for_planes(threads, planes_, [this](std::int64_t z) { std::fill_n(plane(z), stride(edge_), 0.0); });
}

}  // namespace nasvm::mg
