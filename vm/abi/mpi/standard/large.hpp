#pragma once
/// \file
/// Arguments of the functions with large counts (MPI-5.0, section 2.5.8), for a core whose integers are smaller.
/// What does not fit is an error of MPI: MPI_ERR_COUNT.

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
