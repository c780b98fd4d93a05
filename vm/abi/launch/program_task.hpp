#pragma once
/// \file
/// A task that is a program of others: its surroundings, its start, its output, its end.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "vm/task.hpp"

namespace nasvm::abi {

struct ProgramOrder {
  std::string program;                 ///< path
  std::vector<std::string> arguments;  ///< those behind its name
  std::string folder;                  ///< where it runs; empty: anywhere
  std::vector<std::string> variables;  ///< "NAME=value", whatever the host has
  std::string streams;                 ///< name of the console's socket (streams.hpp)
  std::string expected;                ///< regular expression that a line of its output should have; empty: none
  bool tags_output = false;            ///< "[rank] " in front of each line
  bool times_calls = true;             ///< false: nobody looks at the times of its calls
  std::chrono::milliseconds time{0};   ///< after which it tells where it is; 0: never
  /// Or at that moment, by clocks that agree: the earlier.
  std::chrono::system_clock::time_point until{};
};

/// Why the text is no regular expression, as `ProgramOrder::expected` has to be; empty: it is one.
std::string why_no_expression(const std::string& text);

/// Runs the program in a task's place, which has not joined yet (Task::Invitation): it joins by itself when it calls
/// MPI_Init. Blocks until it has ended; returns its exit status, or ends this process with the signal that has ended
/// it. Throws UsageError, RunError.
int run_program_task(const ProgramOrder& order, const Task::Invitation& invitation);

/// What scripts and programs look for in their environment when Open MPI has launched them. Numbers within a node
/// are those within a computer, of which several hosts may be part.
std::vector<std::string> launcher_variables(const Task::Invitation& invitation);

/// Variables of a program: `all` with those of `own` in their place, and the folder of our libraries before all
/// others in LD_LIBRARY_PATH.
std::vector<std::string> with_libraries(std::vector<std::string> all, std::vector<std::string> own,
                                        const std::string& folder);

}  // namespace nasvm::abi
