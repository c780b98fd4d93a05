#pragma once
/// \file
/// What a program has in its hand for predefined objects. Each face defines this.

#include <span>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi::face {

/// Handles of a kind's predefined objects, by number, as the program sees them, and their numbers in Fortran.
/// nullptr: the face has none.
struct PredefinedHandles {
  std::span<void* const> handles;
  std::span<const int> fortran;
};
PredefinedHandles predefined_handles(Kind kind);

}  // namespace nasvm::mpi::face
