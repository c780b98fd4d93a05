#include "kernels/common/large_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t cache_line_bytes = 64;

void* allocate_on_huge_pages(std::size_t bytes) {
  const bool has_pages = bytes >= huge_page_bytes();
  const std::size_t alignment = has_pages ? huge_page_bytes() : cache_line_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  // A wish: where it is refused, the other pages serve as well.
  if (memory != nullptr && has_pages) (void)::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

/// Nothing is set aside for it: most of it may never be touched.
void* reserve_usual_pages(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  (void)::madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory;
}

}  // namespace

std::size_t huge_page_bytes() {
  static const std::size_t bytes = [] {
    std::size_t told = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> told;
    return told > 0 ? told : std::size_t{2} << 20;
  }();
  return bytes;
}

void* allocate_large(std::size_t bytes, Pages pages) {
  void* const memory = pages == Pages::huge ? allocate_on_huge_pages(bytes) : reserve_usual_pages(bytes);
  if (memory == nullptr) {
    throw RunError("no memory for " + std::to_string(bytes) +
                   " more bytes; take a smaller class, or more tasks on more hosts");
  }
  return memory;
}

void free_large(void* memory, std::size_t bytes, Pages pages) noexcept {
  if (pages == Pages::huge) std::free(memory);
  else (void)::munmap(memory, bytes);
}

}  // namespace nasvm
