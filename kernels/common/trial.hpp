#pragma once
/// \file
/// Which of several ways is the faster one here: each is tried a few times, in turns, and its shortest time counts.

#include <algorithm>
#include <chrono>

namespace nasvm {

class Trial {
 public:
  /// Carries out `work()` once more.
  template <typename Work>
  void run(Work work) {
    const auto begin = Clock::now();
    work();
    shortest_ = std::min(shortest_, Clock::now() - begin);
  }
  /// Very long before the first run.
  [[nodiscard]] double shortest_s() const { return std::chrono::duration<double>(shortest_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::duration shortest_ = Clock::duration::max();
};

}  // namespace nasvm
