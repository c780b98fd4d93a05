#pragma once
/// \file
/// Results of the functions with large counts (MPI-5.0, section 2.5.8), where the core's integers are of another
/// type. What does not fit is an error of MPI: MPI_ERR_COUNT.

#include <limits>

#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/failure.hpp"

namespace nasvm::mpi::face {

template <typename Small>
Small narrow(long long value) {
  require(value >= std::numeric_limits<Small>::min() && value <= std::numeric_limits<Small>::max(), err_count);
  return static_cast<Small>(value);
}

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

}  // namespace nasvm::mpi::face
