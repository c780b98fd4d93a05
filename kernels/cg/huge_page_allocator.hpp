#pragma once
/// \file
/// An allocator for large vectors that are written before they are read: large memory, and elements without
/// initialisation, so that the thread that writes them first touches their pages first.

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "kernels/common/large_memory.hpp"

namespace nasvm::cg {

template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  explicit(false) HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}

  /// Aligned to the cache line, or to huge pages. RunError when there is not so much memory.
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(allocate_large(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_large(memory, count * sizeof(T)); }

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
