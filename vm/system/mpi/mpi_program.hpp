#pragma once
/// \file
/// Programs of others over mpirun on this host: started, watched, read, and ended whole.

#include <chrono>
#include <string>
#include <vector>

namespace nasvm {

/// What such a program has printed, and how it ended.
struct MpiProgramResult {
  std::vector<std::string> output;  ///< lines of its standard output
  std::vector<std::string> errors;  ///< lines of its standard error, mpirun's own among them
  bool ended_well = false;          ///< exit status 0
  bool overdue = false;             ///< the time was up, and it has been ended
  std::string ending;               ///< for people: "exited with status 16", "was killed by signal 9 (Killed)"
};

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
