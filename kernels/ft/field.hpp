#pragma once
/// \file
/// A field: one task's part of a three-dimensional complex array, as uninitialised memory on huge pages.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Owns `size()` complex numbers, aligned to a cache line at least. They are not initialised, so that the
/// thread which first writes a page also gets it near. No memory: RunError.
class Field {
 public:
  Field() = default;
  explicit Field(std::int64_t points);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Complex* data() { return memory_.get(); }
  [[nodiscard]] const Complex* data() const { return memory_.get(); }
  [[nodiscard]] Complex* begin() { return data(); }
  [[nodiscard]] Complex* end() { return data() + size_; }
  [[nodiscard]] const Complex* begin() const { return data(); }
  [[nodiscard]] const Complex* end() const { return data() + size_; }

 private:
  struct Release {
    void operator()(Complex* memory) const;
  };
  std::unique_ptr<Complex, Release> memory_;
  std::size_t size_ = 0;
};

}  // namespace nasvm::ft
