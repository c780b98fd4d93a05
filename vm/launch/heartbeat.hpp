#pragma once
/// \file
/// When the console asks its daemons for a sign of life, and which of them owe one.
///
/// No clock: the time is an argument. Nothing blocks.

#include <chrono>
#include <cstddef>
#include <vector>

#include "vm/metrics/pause_watch.hpp"

namespace nasvm {

class Heartbeat {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Time between two requests. Small beside the 10 s in which the loss of a host must be noticed.
  static constexpr std::chrono::milliseconds interval{1000};
  /// Silence after which a daemon counts as dead: those 10 s less an interval, and one to spare.
  static constexpr std::chrono::milliseconds silence_limit{8000};

  explicit Heartbeat(std::size_t daemons) : pauses_(3 * interval), heard_(daemons) {}

  /// One more.
  void add() { heard_.emplace_back(); }
  /// A daemon has said something.
  void hear(std::size_t daemon, TimePoint now) { heard_[daemon] = now; }
  /// Is a request due? True once in each interval. After a pause of the caller's own (between runs, or stopped by the
  /// user) all daemons count as heard: nobody asked them.
  bool beat(TimePoint now);
  /// Has not been heard for half an interval: it may have been stopped by a signal.
  [[nodiscard]] bool is_quiet(std::size_t daemon, TimePoint now) const {
    return now - heard_[daemon] >= interval / 2;
  }
  /// Has left several requests unanswered: it may be busy, but somebody else says that it does not answer.
  [[nodiscard]] bool is_overdue(std::size_t daemon, TimePoint now) const {
    return now - heard_[daemon] >= 3 * interval;
  }
  [[nodiscard]] bool is_silent(std::size_t daemon, TimePoint now) const {
    return now - heard_[daemon] > silence_limit;
  }

 private:
  PauseWatch pauses_;
  TimePoint last_{};  ///< request
  std::vector<TimePoint> heard_;
};

}  // namespace nasvm
