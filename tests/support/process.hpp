#pragma once
/// \file
/// Running a program as a user does, and looking at what it leaves behind.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace nasvm::test {

struct ProcessResult {
  int exit_status = -1;  ///< -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

/// Runs `program` to its end; kills it when it closes its output and still does not end.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments);

/// Starts `program` and leaves it running, its output thrown away.
pid_t start_process_quietly(const std::string& program, const std::vector<std::string>& arguments);

/// Process ids of `pid`'s children, their children, and so on.
std::vector<pid_t> descendants(pid_t pid);

/// Waits until `done`, or until the deadline (support/deadline.hpp) has passed; returns what `done` says last.
bool eventually(const std::function<bool()>& done);

/// As /proc/PID/stat has it: R runs, S sleeps, Z is a zombie; 0: there is no such process.
char state_of(pid_t pid);

/// Does this process exist (and is more than a zombie)?
bool is_running(pid_t pid);

/// The program that lies beside the folder of the running test program.
std::string built_program(const std::string& name);

}  // namespace nasvm::test
