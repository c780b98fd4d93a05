#pragma once
/// \file
/// What a task tells the console when its program has come to MPI_Finalize: time, communication by peer and method,
/// calls by function. A JSON object with the fields that tasks of kernels have, and `calls` and `lengths` besides
/// (docs/mpi.md).

#include <string>

#include "vm/abi/mpi/region.hpp"
#include "vm/comm.hpp"

namespace nasvm::mpi {

/// `world` is the Comm of all tasks.
std::string report_of(const Comm& world, const Measured& measured, const std::string& host);

}  // namespace nasvm::mpi
