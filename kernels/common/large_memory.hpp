#pragma once
/// \file
/// Memory for large fields that are written before they are read: not initialised, so that the threads which use it
/// touch it first, and on huge pages where the system has them, for fewer address translations; or not, where much of
/// it is never touched.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>

namespace nasvm {

enum class Pages { huge, usual };

/// So many bytes, aligned to the cache line, from 2 MB on to pages. To be given back by std::free. RunError when
/// there is not so much memory.
[[nodiscard]] void* allocate_large(std::size_t bytes, Pages pages = Pages::huge);

/// Such memory for many elements of one type.
template <typename T, Pages pages = Pages::huge>
requires std::is_trivially_copyable_v<T>
class LargeBuffer {
 public:
  LargeBuffer() = default;
  explicit LargeBuffer(std::size_t size) { reset(size); }

  /// Gives it `size` elements, whose values are undefined; keeps the memory where it is large enough.
  void reset(std::size_t size) {
    if (size > capacity_) {
      memory_.reset();
      memory_.reset(static_cast<T*>(allocate_large(size * sizeof(T), pages)));
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
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return memory_.get()[i]; }
  const T& operator[](std::size_t i) const { return memory_.get()[i]; }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<T[], Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace nasvm
