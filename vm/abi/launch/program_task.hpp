#pragma once
/// \file
/// A task that is a program of others: its surroundings, its start, its output line by line, its end.

#include <string>
#include <utility>
#include <vector>

#include "vm/task.hpp"

namespace nasvm::abi {

struct ProgramOrder {
  std::string program;                 ///< path
  std::vector<std::string> arguments;  ///< those behind its name
  std::string folder;                  ///< where it runs, if it is there
  std::vector<std::string> variables;  ///< "NAME=value", whatever the host has
  std::string streams;                 ///< path of the socket for standard streams (streams.hpp)
  bool tags_output = false;            ///< "[rank] " in front of each line
};

/// Runs the program in a task's place, which has not joined yet (Task::Invitation): it joins by itself when it calls
/// MPI_Init. Blocks until it has ended; returns its exit status, or ends this process with the signal that has ended
/// it. Throws UsageError, RunError.
int run_program_task(const ProgramOrder& order, const Task::Invitation& invitation);

/// What scripts and programs look for in their environment when Open MPI has launched them.
std::vector<std::string> launcher_variables(int rank, int size);

}  // namespace nasvm::abi
