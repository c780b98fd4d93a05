#pragma once
/// \file
/// Programs of others over mpirun on this host: started, watched, read, and ended whole.

#include <chrono>
#include <string>
#include <vector>

#include "vm/launch/external_program.hpp"

namespace nasvm {

/// What such a program has printed, mpirun's own lines among its errors.
using MpiProgramResult = ProgramResult;

struct MpiProgram {
  std::string path;
  int tasks = 1;
  std::vector<std::string> environment{};  ///< "NAME=value", for its tasks beside ours
};

/// Runs `program` on this host, with mpirun's usual placement; where they are more than the cores,
/// tasks that wait give their core away. Blocks up to `timeout` (0: without an end). Nothing of it is left when this
/// returns or throws. Throws UsageError (no mpirun), RunError (cannot be started), Interrupted.
MpiProgramResult run_mpi_program(const MpiProgram& program, std::chrono::milliseconds timeout);

}  // namespace nasvm
