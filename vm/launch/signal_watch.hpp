#pragma once
/// \file
/// SIGINT, SIGTERM and SIGHUP as something to wait for (docs/decisions/signals.md).

#include <signal.h>

#include <cstdint>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm {

/// While it lives, the signals end no process: one that comes waits for the next SignalWatch, or for the end of
/// this. For who has something to take down between one wait and the next.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;

 private:
  sigset_t before_;
};

/// For who computes for long between waits while signals are held: throws Interrupted (machine.hpp) if one has come.
void take_held_signal();

/// While it lives, those signals end no process, but make the poller's `wait` throw Interrupted (machine.hpp). One
/// that this process ignores (started by nohup, or in the background) stays ignored. One at a time in each process.
class SignalWatch final : public net::Watcher {
 public:
  /// Throws RunError without descriptors.
  explicit SignalWatch(net::Poller& poller);
  ~SignalWatch() override;
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Throws Interrupted.
  void ready(std::uint32_t) override;

 private:
  SignalHold hold_;  ///< first: a signal that is not held would end the process
  net::Poller& poller_;
  net::Fd fd_;
};

}  // namespace nasvm
