#pragma once
/// \file
/// What wakes a task that sleeps in its poller: a pipe of its own, which others of the same user open through /proc.
///
/// A pipe and not an eventfd, because only pipes can be opened there; to fetch an eventfd from another process needs
/// the right to trace it.

#include <utility>

#include "vm/net/fd.hpp"

namespace nasvm::shm {

/// The sleeper's side.
class Doorbell {
 public:
  /// Throws RunError when the system has no more descriptors.
  Doorbell();
  /// Readable when it has rung; to be watched, and to be named to others.
  [[nodiscard]] int fd() const { return read_end_.get(); }
  /// Takes all rings.
  void silence();

 private:
  net::Fd read_end_;
  net::Fd write_end_;  ///< so that there is always one
};

/// The other side.
class BellRope {
 public:
  /// The sleeper's doorbell, opened for reading as well, so that ringing at a task that has just died is no broken
  /// pipe. None: who fell asleep may have looked once more, found the message and ended; nobody is to be woken.
  explicit BellRope(net::Fd pipe) : pipe_(std::move(pipe)) {}
  /// Never blocks; does nothing when the sleeper is gone.
  void ring();

 private:
  net::Fd pipe_;
};

}  // namespace nasvm::shm
