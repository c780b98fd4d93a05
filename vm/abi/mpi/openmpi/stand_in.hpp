#pragma once
/// \file
/// What Open MPI's binary interface has in place of predefined objects: data of a fixed size, of which programs hold
/// copies at addresses of their own. Here its first word says what it stands for.

#include <cstddef>
#include <span>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi::openmpi {

template <std::size_t Bytes>
struct StandIn {
  Word word;
  std::byte unused[Bytes - sizeof(Word)];
};

/// Handles of a kind's predefined objects, by number: addresses as the program sees them, and their numbers in
/// Fortran.
struct PredefinedHandles {
  std::span<void* const> addresses;
  std::span<const int> fortran;
};
PredefinedHandles predefined_handles(Kind kind);

}  // namespace nasvm::mpi::openmpi
