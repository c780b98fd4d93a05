#pragma once
/// \file
/// How long tests wait for what must come. A test waits for an event, never for a time; the deadline only ends a test
/// that would hang, so it is generous, and grows with what else runs on the machine.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace nasvm::test {

/// Threads that want to run for each core of the machine, 1 at least: the larger of now and of the last minute's mean
/// (/proc/loadavg). How much longer things take than alone.
inline double load_factor() {
  std::ifstream file("/proc/loadavg");
  double last_minute = 0, five_minutes = 0, quarter_hour = 0, now = 0;
  file >> last_minute >> five_minutes >> quarter_hour >> now;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1.0, std::max(last_minute, now) / cores);
}

/// What a wait may take now.
inline std::chrono::nanoseconds deadline_length() {
  using namespace std::chrono_literals;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(60s * (1 + load_factor()));
}

/// Time-out of programs whose end a test waits for: long after any deadline.
inline constexpr std::chrono::hours no_timeout{3};

/// A deadline that begins when it is made. It looks at the load from time to time, and takes the highest.
class Deadline {
 public:
  [[nodiscard]] bool passed() {
    const auto elapsed = std::chrono::steady_clock::now() - begin_;
    if (elapsed <= length_) return false;
    length_ = std::max(length_, deadline_length());
    return elapsed > length_;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds length_ = deadline_length();
};

}  // namespace nasvm::test
