#pragma once
/// \file
/// A terminal of a test's own (pty(7)): what a user types, and the processes that have it.

#include <sys/types.h>

#include <functional>
#include <string>

#include "vm/net/fd.hpp"

namespace nasvm::test {

class Terminal {
 public:
  /// Throws std::runtime_error.
  Terminal();

  void type(const std::string& text) const;
  /// Waits until these words have been on the screen, or the deadline (support/deadline.hpp) has passed.
  [[nodiscard]] bool shows(const std::string& words);
  /// Carries out `body` in a new process, which leads a session that has this terminal, has it as standard input, and
  /// exits with what `body` returns.
  [[nodiscard]] pid_t lead(const std::function<int()>& body) const;

 private:
  net::Fd user_;
  net::Fd line_;  ///< the processes' end
  std::string shown_;
};

/// Waits for the end of a process; kills it when it does not end. Returns its exit status, or -1.
int exit_status_of(pid_t process);

}  // namespace nasvm::test
