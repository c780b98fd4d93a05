#pragma once
/// \file
/// An allocator for large vectors that are written before they are read: memory on huge pages where the system has
/// them, and elements without initialisation, so that whoever writes them first touches their pages first.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace nasvm::cg {

template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  explicit(false) HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}

  /// Aligned to the cache line, from 2 MB on to huge pages. Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    constexpr std::size_t cache_line_bytes = 64;
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    // A wish: where it is refused, ordinary pages serve as well.
    if (alignment == huge_page_bytes) (void)::madvise(memory, rounded, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { std::free(memory); }

  /// Elements without a value stay as they are.
  template <typename U>
  void construct(U* element) noexcept {
    ::new (static_cast<void*>(element)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const HugePageAllocator& /*other*/) const { return true; }
};

template <typename T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace nasvm::cg
