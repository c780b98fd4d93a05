#pragma once
/// \file
/// Large memory for many elements that are written before they are read (keys and counters, accessed at random).

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace nasvm::is {

/// Uninitialised bytes, aligned to the cache line, large ones to huge pages. Throws std::bad_alloc.
void* allocate_bytes(std::size_t bytes);
void free_bytes(void* memory) noexcept;

template <typename T>
  requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { reset(size); }

  /// Gives it `size` elements, whose values are undefined; keeps the memory where it is large enough.
  void reset(std::size_t size) {
    if (size > capacity_) {
      memory_.reset();
      memory_.reset(static_cast<T*>(allocate_bytes(size * sizeof(T))));
      capacity_ = size;
    }
    size_ = size;
  }
  /// Gives the memory back.
  void release() {
    memory_.reset();
    size_ = capacity_ = 0;
  }

  [[nodiscard]] T* data() { return memory_.get(); }
  [[nodiscard]] const T* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return memory_.get()[i]; }
  const T& operator[](std::size_t i) const { return memory_.get()[i]; }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { free_bytes(memory); }
  };
  std::unique_ptr<T[], Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace nasvm::is
