#pragma once
/// \file
/// How long a tick of the clock of measurements (clock.hpp) is: both clocks are read, and once more after 5 ms.

#include <chrono>
#include <cstdint>

namespace nasvm {

/// What both clocks said at one moment.
struct ClockPair {
  std::chrono::steady_clock::time_point time;
  std::int64_t ticks = 0;
};

/// Reads the ticks between two readings of the clock, again where these are not close: a task that loses its core
/// there for 3 ms would take all its times wrong by half. Of ten tries the closest counts.
template <typename Now, typename TicksNow>
ClockPair read_together(Now now, TicksNow ticks_now) {
  constexpr std::chrono::microseconds close(1);
  ClockPair best;
  auto closest = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 10 && closest > close; ++i) {
    const auto before = now();
    const std::int64_t ticks = ticks_now();
    const auto apart = now() - before;
    if (apart >= closest) continue;
    closest = apart;
    best = {before + apart / 2, ticks};
  }
  return best;
}

/// Seconds of a tick, from two clocks: functions that return a time_point of std::chrono::steady_clock, and ticks.
template <typename Now, typename TicksNow>
double calibrated_tick_s(Now now, TicksNow ticks_now) {
  const ClockPair start = read_together(now, ticks_now);
  while (now() - start.time < std::chrono::milliseconds(5)) {
  }
  const ClockPair end = read_together(now, ticks_now);
  return std::chrono::duration<double>(end.time - start.time).count() / static_cast<double>(end.ticks - start.ticks);
}

}  // namespace nasvm
