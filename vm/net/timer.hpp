#pragma once
/// \file
/// One moment in the future, as something that a Poller watches.

#include <chrono>
#include <functional>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::net {

class Timer final : private Watcher {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expired` is called by the poller, once for each moment that was set. Throws RunError without descriptors.
  Timer(Poller& poller, std::function<void()> expired);
  ~Timer() override;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// In place of a moment that was set before.
  void set(Clock::time_point moment);
  void stop();
  [[nodiscard]] bool is_set() const { return set_; }

 private:
  void ready(std::uint32_t events) override;

  Poller& poller_;
  std::function<void()> expired_;
  Fd fd_;
  bool set_ = false;
};

}  // namespace nasvm::net
