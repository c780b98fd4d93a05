#pragma once
/// \file
/// Child: a process that this one has started (vm/process/start.hpp): to see it end, to signal it, to reap it.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "vm/net/fd.hpp"

namespace nasvm::process {

/// How a process ended, from a status of waitpid: "exited with status 3", "was killed by signal 9 (SIGKILL)".
std::string describe_wait_status(int wait_status);

/// A descriptor of any process (pidfd_open): it stays that process's when the number has gone to another. None when
/// there is no such process; errno says why not.
net::Fd process_descriptor(pid_t pid);
/// Signals it; nothing when it has ended.
void signal_process(const net::Fd& process, int number);

/// Has a number of its own until it has been reaped, so that no signal can go to a stranger. Whoever starts a process
/// sees to its end: the destructor does nothing to it.
class Child {
 public:
  /// None: it counts as reaped, and has never ended.
  Child() = default;
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), wait_status_(other.wait_status_) {}
  Child& operator=(Child&& other) noexcept {
    pid_ = std::exchange(other.pid_, -1);
    wait_status_ = other.wait_status_;
    return *this;
  }

  /// Its number, also after its end; -1: none.
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// There is a process that has not been reaped; it may have ended.
  [[nodiscard]] bool is_there() const { return pid_ > 0 && !wait_status_.has_value(); }
  /// How it ended, as waitpid says, once it has; reaps it then. Does not block. One that another part of this program
  /// has reaped has ended, in a way that describe_wait_status knows.
  std::optional<int> ended();
  /// The same, but does not reap it: its number stays its own.
  [[nodiscard]] std::optional<int> peek() const;
  /// A signal has stopped it (SIGSTOP, SIGTSTP), and no other has let it go on. Does not block.
  [[nodiscard]] bool is_stopped() const;
  /// Sends a signal; nothing where there is no process.
  void signal(int number) const;
  /// Kills it and reaps it. Blocks until it has gone.
  void kill();
  /// A descriptor that can be read once the process has ended (pidfd_open). Throws RunError where the system has none
  /// (Linux before 5.3).
  [[nodiscard]] net::Fd end_descriptor() const;

 private:
  pid_t pid_ = -1;
  std::optional<int> wait_status_;
};

}  // namespace nasvm::process
