#pragma once
/// \file
/// MessageStatus: what a completed call says of its message. Laid out as the program sees it.

#include <cstddef>

#include "vm/abi/mpi/constants.hpp"

namespace nasvm::mpi {

struct MessageStatus {
  int source = mpi_any_source;
  int tag = mpi_any_tag;
  int error = success;
  int cancelled = 0;
  StatusBytes bytes = 0;
  [[no_unique_address]] StatusReserve reserve{};
};

/// Of what has no message: a null request, a completed send.
inline constexpr MessageStatus empty_status{};
inline constexpr MessageStatus status_of_nobody{proc_null, mpi_any_tag, success, 0, 0, {}};

}  // namespace nasvm::mpi
