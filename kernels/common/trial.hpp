#pragma once
/// \file
/// Which of several ways is the faster one here: each is tried a few times, in turns, and its shortest time counts.

#include <time.h>

#include <algorithm>
#include <limits>

namespace nasvm {

/// Which time a trial takes. Where there are more tasks than cores, what has passed is mostly time that others had:
/// work that one thread does without waiting for anybody is told by that thread's own.
enum class TrialClock : clockid_t { passed = CLOCK_MONOTONIC, of_thread = CLOCK_THREAD_CPUTIME_ID };

class Trial {
 public:
  explicit Trial(TrialClock clock = TrialClock::passed) : clock_(clock) {}

  /// Carries out `work()` once more.
  template <typename Work>
  void run(Work work) {
    const double begin = now_s();
    work();
    shortest_s_ = std::min(shortest_s_, now_s() - begin);
  }
  /// Very long before the first run.
  [[nodiscard]] double shortest_s() const { return shortest_s_; }

 private:
  [[nodiscard]] double now_s() const {
    timespec now{};
    ::clock_gettime(static_cast<clockid_t>(clock_), &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  TrialClock clock_;
  double shortest_s_ = std::numeric_limits<double>::max();
};

}  // namespace nasvm
