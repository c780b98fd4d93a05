#include "kernels/common/large_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw RunError("no memory for " + std::to_string(bytes) +
                   " more bytes; take a smaller class, or more tasks on more hosts");
  }
  // A wish: where it is refused, ordinary pages serve as well.
  if (alignment == huge_page_bytes) (void)::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

}  // namespace nasvm
