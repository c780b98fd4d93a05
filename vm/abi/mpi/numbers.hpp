#pragma once
/// \file
/// Lists of counts and displacements as the program has them: as ints, or as the larger integers of the functions
/// with large counts (MPI-5.0, section 2.5.8). Read where they lie; the program's, which keeps them for as long as
/// MPI says.

#include <cstddef>
#include <cstring>

namespace nasvm::mpi {

class Numbers {
 public:
  using Value = std::ptrdiff_t;
  static_assert(sizeof(long long) == sizeof(Value));

  Numbers(std::nullptr_t) {}
  Numbers(const int* values) : values_(values) {}
  Numbers(const Value* values) : values_(values), wide_(true) {}
  Numbers(const long long* values) : values_(values), wide_(true) {}

  template <typename Index>
  Value operator[](Index index) const {
    const auto at = static_cast<std::ptrdiff_t>(index);
    if (!wide_) return static_cast<const int*>(values_)[at];
    Value value = 0;  // of one of two types
    std::memcpy(&value, static_cast<const std::byte*>(values_) + at * static_cast<std::ptrdiff_t>(sizeof value),
                sizeof value);
    return value;
  }
  [[nodiscard]] bool empty() const { return values_ == nullptr; }

 private:
  const void* values_ = nullptr;
  bool wide_ = false;
};

}  // namespace nasvm::mpi
