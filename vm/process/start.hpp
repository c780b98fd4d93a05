#pragma once
/// \file
/// Starting a program as a child of this process: the one place where the suite forks and executes.

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vm/process/child.hpp"

namespace nasvm::process {

/// A user that root can run a program as.
struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// The session (setsid) that a new process belongs to: its parent's, or one that it leads.
enum class SessionOf : std::uint8_t { parent, itself };

/// A program that cannot be executed: the new process says so on its standard error and ends with status 127, or
/// `start` throws RunError; it then waits until the program has taken the process over.
enum class Unexecutable : std::uint8_t { ends, throws };

struct StartOptions {
  std::string program{};                                  ///< its path
  std::vector<std::string> arguments{};                   ///< those that follow its name
  std::optional<std::vector<std::string>> environment{};  ///< "NAME=value"; none: that of this process
  std::string input{};                                    ///< text on its standard input, 1 MiB at most; then the end
  int input_from = -1;                    ///< descriptor of ours that is its standard input instead; -1: none
  int output = STDOUT_FILENO;             ///< descriptor of ours that becomes its standard output
  int error = STDERR_FILENO;              ///< the same for its standard error
  std::vector<int> kept{};                ///< descriptors that it has, too, under the same numbers
  SessionOf session = SessionOf::parent;  ///< whose session it belongs to
  int death_signal = SIGKILL;             ///< what the kernel sends it when this thread ends; 0: nothing
  std::optional<Account> account{};       ///< whom it runs as; none: this user
  Unexecutable unexecutable = Unexecutable::ends;
};

/// Starts `options.program`, with no signal blocked, and SIGPIPE and SIGXFSZ as the system has them; other signals
/// that this process ignores it ignores, too. It has the descriptors that the options name and no others, however
/// they were opened (before Linux 5.11: those without O_CLOEXEC, too). Does not wait for it to come up.
///
/// From then on this process does not ignore SIGCHLD any more, whatever its own parent has set: ends of children are
/// to be seen.
///
/// As `account`, the program is found also where that user has no way to it; he must be allowed to execute it.
/// Throws RunError when there cannot be a process, with nothing left behind.
Child start(const StartOptions& options);

}  // namespace nasvm::process
