#pragma once
/// \file
/// Handles of Open MPI's binary interface are addresses of what begins with a word.

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi::face {

/// The word of what a handle stands for; no null pointer.
inline Word word_behind(const void* handle) { return *static_cast<const Word*>(handle); }

}  // namespace nasvm::mpi::face
