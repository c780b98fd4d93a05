#pragma once
/// \file
/// What Open MPI's binary interface has in place of predefined objects: data of a fixed size, of which programs hold
/// copies at addresses of their own. Here its first word says what it stands for.

#include <cstddef>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi::face {

template <std::size_t Bytes>
struct StandIn {
  Word word;
  std::byte unused[Bytes - sizeof(Word)];
};

}  // namespace nasvm::mpi::face
