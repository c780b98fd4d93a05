#include "kernels/common/large_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes, Pages pages) {
  const bool has_pages = bytes >= huge_page_bytes;
  const std::size_t whole = pages == Pages::huge ? huge_page_bytes : page_bytes;
  const std::size_t alignment = has_pages ? whole : cache_line_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw RunError("no memory for " + std::to_string(bytes) +
                   " more bytes; take a smaller class, or more tasks on more hosts");
  }
  // A wish: where it is refused, the other pages serve as well.
  if (has_pages) (void)::madvise(memory, rounded, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return memory;
}

}  // namespace nasvm
