#pragma once
/// \file
/// Constants of MPI as this library's core has them: the values of the face that it is compiled for
/// (docs/decisions/mpi-library.md), so that nothing has to be translated.

#include <climits>

#include "face_values.hpp"

namespace nasvm::mpi {

inline constexpr int greatest_tag = INT_MAX;

/// MPI_BOTTOM is the null pointer.
inline bool is_in_place(const void* buffer) { return buffer == in_place; }

}  // namespace nasvm::mpi
