#pragma once
/// \file
/// Memory of messages that are measured: from the beginning of a page on, as that of OSU's programs, so that where a
/// heap would have put it is no part of the figures.

#include <cstddef>
#include <new>
#include <vector>

namespace nasvm {

template <typename T>
struct PageAllocator {
  using value_type = T;  // NOLINT(readability-identifier-naming): as allocators have it
  static constexpr std::align_val_t alignment{4096};

  PageAllocator() = default;
  template <typename Other>
  explicit(false) PageAllocator(const PageAllocator<Other>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  bool operator==(const PageAllocator&) const = default;
};

template <typename T>
using PageAligned = std::vector<T, PageAllocator<T>>;

}  // namespace nasvm
