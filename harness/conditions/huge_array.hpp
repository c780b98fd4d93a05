#pragma once
/// \file
/// Memory that probes of its speed read: numbers in huge pages where the system gives them, so that looking addresses
/// up takes no time.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace nasvm {

template <typename Number>
class HugeArray {
 public:
  /// Touched by the thread that makes it, tens of milliseconds for 64 MiB. Throws std::bad_alloc. One that has been
  /// moved from must not be asked any more.
  HugeArray(std::size_t count, Number value) : count_(count) {
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(Number) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    numbers_.reset(static_cast<Number*>(std::aligned_alloc(huge_page_bytes, bytes)));
    if (!numbers_) throw std::bad_alloc();
    (void)::madvise(numbers_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(numbers_.get(), count, value);
  }

  [[nodiscard]] std::span<Number> span() { return {numbers_.get(), count_}; }
  [[nodiscard]] std::span<const Number> span() const { return {numbers_.get(), count_}; }

 private:
  struct Freeing {
    void operator()(Number* numbers) const { std::free(numbers); }
  };
  std::unique_ptr<Number, Freeing> numbers_;
  std::size_t count_;
};

}  // namespace nasvm
