#include "kernels/mg/grid.hpp"

#include <algorithm>
#include <string>

#include "kernels/mg/parallel.hpp"
#include "vm/status.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace nasvm::mg {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Uninitialised memory; in huge pages where it is large and the system has them, for fewer address translations.
void* take_memory(std::size_t bytes) {
  const std::size_t alignment = bytes < huge_page ? cache_line : huge_page;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw RunError("mg: no memory for a grid of " + std::to_string(bytes) +
                   " bytes: use more hosts or a smaller class");
  }
#ifdef __linux__
  if (alignment == huge_page) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
#endif
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
