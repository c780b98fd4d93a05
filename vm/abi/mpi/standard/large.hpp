#pragma once
/// \file
/// Arguments of the functions with large counts (MPI-5.0, section 2.5.8), for a core whose integers are smaller.
/// Data that lies together may be as long as memory is; what else does not fit is an error of MPI: MPI_ERR_COUNT.

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/failure.hpp"

namespace nasvm::mpi::face {

template <typename Small>
Small narrow(long long value) {
  require(value >= std::numeric_limits<Small>::min() && value <= std::numeric_limits<Small>::max(), err_count);
  return static_cast<Small>(value);
}

/// A count and its datatype. A count that the core has no integer for becomes one of a datatype that is made of so
/// many, where they lie together: the list of others' runs would be longer than memory is.
class Many {
 public:
  Many(long long count, void* type);
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] Datatype* type() const { return type_; }

 private:
  int count_ = 0;
  Datatype* type_ = nullptr;
  Ref<Datatype> made_;
};

/// Of reductions, whose operations are defined for the elements and not for a datatype made of them.
inline constexpr long long elements_of_a_part = 1LL << 30;

/// A buffer from some byte on; what stands for a buffer stays what it is.
inline const void* later(const void* buffer, std::ptrdiff_t bytes) {
  return buffer == nullptr || is_in_place(buffer) ? buffer : static_cast<const std::byte*>(buffer) + bytes;
}
inline void* later(void* buffer, std::ptrdiff_t bytes) {
  return const_cast<void*>(later(static_cast<const void*>(buffer), bytes));
}

/// A reduction in parts: `body(bytes before it, its elements)`.
template <typename Body>
void in_parts(long long count, void* type, const Body& body) {
  if (count <= std::numeric_limits<int>::max()) return body(std::ptrdiff_t{0}, narrow<int>(count));
  const Datatype* part_of = object<Datatype, Kind::type>(type);
  check_type(part_of);
  for (long long done = 0; done < count; done += elements_of_a_part) {
    body(done * part_of->extent(), static_cast<int>(std::min(count - done, elements_of_a_part)));
  }
}

/// An array. The memory can be shared: what goes on in the background reads it later.
template <typename Small, typename Large>
class NarrowAll {
 public:
  NarrowAll(const Large* values, int count) {
    if (values == nullptr || count <= 0) return;
    memory_ = std::make_shared<std::vector<Small>>();
    memory_->reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) memory_->push_back(narrow<Small>(values[i]));
  }
  operator const Small*() const { return memory_ ? memory_->data() : nullptr; }
  [[nodiscard]] std::shared_ptr<const void> memory() const { return memory_; }

 private:
  std::shared_ptr<std::vector<Small>> memory_;
};

/// A place for a result, which is the caller's start value before.
template <typename Small, typename Large>
class Widened {
 public:
  explicit Widened(Large* where) : where_(where) {}
  /// With what is there already.
  Widened(Large* where, bool) : where_(where), value_(narrow<Small>(*where)) {}
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  ~Widened() { *where_ = value_; }
  operator Small*() { return &value_; }

 private:
  Large* where_;
  Small value_{};
};

/// How many numbers arrays have that only the root reads.
int counts_at_root(void* comm, int root);
/// Ranks of this task's own group.
int own_ranks_of(void* comm);

}  // namespace nasvm::mpi::face
