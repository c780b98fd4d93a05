#include "kernels/common/large_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace nasvm {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes) noexcept {
  const std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  // A wish: where it is refused, ordinary pages serve as well.
  if (memory != nullptr && alignment == huge_page_bytes) (void)::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

}  // namespace nasvm
