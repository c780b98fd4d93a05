#pragma once
/// \file
/// Memory for large fields that are written before they are read: not initialised, so that the threads which use it
/// touch it first, and on huge pages where the system has them, for fewer address translations; or on usual ones, and
/// nothing set aside, where much of it is never touched.

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace nasvm {

enum class Pages { huge, usual };

/// Of one such page, as the system says; 2 MB where it does not.
[[nodiscard]] std::size_t huge_page_bytes();

/// So many bytes, at least one; aligned to the cache line, from a huge page on to those. Usual pages are aligned to
/// themselves. RunError when there is not so much memory.
[[nodiscard]] void* allocate_large(std::size_t bytes, Pages pages = Pages::huge);
/// Gives it back: as many bytes of the same pages.
void free_large(void* memory, std::size_t bytes, Pages pages = Pages::huge) noexcept;

/// Such memory for many elements of one type.
template <typename T, Pages pages = Pages::huge>
requires std::is_trivially_copyable_v<T>
class LargeBuffer {
 public:
  LargeBuffer() = default;
  explicit LargeBuffer(std::size_t size) { reset(size); }

  /// Gives it `size` elements, whose values are undefined; keeps the memory where it is large enough.
  void reset(std::size_t size) {
    if (size > capacity()) {
      memory_.reset();
      memory_ = Memory(static_cast<T*>(allocate_large(size * sizeof(T), pages)), Free{size});
    }
    size_ = size;
  }
  /// Gives the memory back.
  void release() {
    memory_.reset();
    size_ = 0;
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
    std::size_t capacity = 0;
    void operator()(T* memory) const noexcept { free_large(memory, capacity * sizeof(T), pages); }
  };
  using Memory = std::unique_ptr<T[], Free>;
  [[nodiscard]] std::size_t capacity() const { return memory_ == nullptr ? 0 : memory_.get_deleter().capacity; }

  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace nasvm
