#pragma once
/// \file
/// A program of this host, started, watched, read, and ended whole.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vm/process/start.hpp"

namespace nasvm {

/// What a program has printed, and how it ended.
struct ProgramResult {
  std::vector<std::string> output;  ///< lines of its standard output
  std::vector<std::string> errors;  ///< lines of its standard error
  bool ended_well = false;          ///< exit status 0
  int exit_status = -1;             ///< -1: a signal has ended it, or the time was up
  bool overdue = false;             ///< the time was up, and it has been ended
  std::string ending;               ///< for people: "exited with status 16", "was killed by signal 9 (Killed)"
};

/// Runs a program in a session of its own. Blocks up to `timeout` (0: without an end). Of either stream, lines beyond
/// `most_lines` are read and dropped. Nothing of the program is left when this returns or throws. Throws RunError
/// (cannot be started), Interrupted.
ProgramResult run_program(process::StartOptions options, std::chrono::milliseconds timeout,
                          std::size_t most_lines = 10'000);

/// A program in a session of its own that goes on while this process does something else. What it prints is read when
/// it is waited for; until then the system keeps 64 KiB of each stream.
class ProgramBeside {
 public:
  /// Starts it. `patience`: how long it may take to end itself and what it has started. Throws RunError.
  ProgramBeside(process::StartOptions options, std::chrono::milliseconds patience);
  /// Asks it to end if nobody has waited for it, and blocks until it is gone.
  ~ProgramBeside();
  ProgramBeside(const ProgramBeside&) = delete;
  ProgramBeside& operator=(const ProgramBeside&) = delete;

  /// Blocks until it has ended. Nothing of it is left when this returns or throws. Once. Throws Interrupted.
  ProgramResult to_its_end();

 private:
  friend ProgramResult run_program(process::StartOptions, std::chrono::milliseconds, std::size_t);
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace nasvm
