#pragma once
/// \file
/// PauseWatch: whether this process has been paused (stopped by a signal, frozen with its container, asleep with its
/// computer). Others may have been paused with it, so whoever was to answer meanwhile has to be given time anew.
///
/// No clock: the time is an argument.

#include <chrono>
#include <optional>
#include <utility>

namespace nasvm {

class PauseWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `longest`: time between two looks that is no pause yet. Some times what the owner means to let pass, since a
  /// busy machine may let a process wait.
  explicit PauseWatch(std::chrono::nanoseconds longest) : longest_(longest) {}

  /// To be asked again and again: has there been a pause since the last time? The first time there has: nobody was
  /// asked for anything before.
  bool look(TimePoint now) {
    const auto last = std::exchange(last_, now);
    return !last.has_value() || now - *last > longest_;
  }

 private:
  std::chrono::nanoseconds longest_;
  std::optional<TimePoint> last_;
};

}  // namespace nasvm
