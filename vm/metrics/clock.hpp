#pragma once
/// \file
/// The clock of all measurements: the processor's cycle counter on x86-64, where it is taken to be invariant,
/// else the system's monotonic clock. Reading it takes a few nanoseconds, so every message can be timed.

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nasvm {

/// A point in time, in units of `seconds_per_tick()`. Only differences on one host mean anything.
using Ticks = std::int64_t;

/// Now. Never blocks; about 5 to 10 ns.
inline Ticks ticks_now() noexcept {
#if defined(__x86_64__)
  return static_cast<Ticks>(__rdtsc());
#else
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
#endif
}

/// Length of a tick in seconds. Calibrated against the monotonic clock on first use, which takes 5 ms;
/// call `calibrate_clock()` early to pay for it outside any measurement.
double seconds_per_tick() noexcept;

/// Does the calibration now if it has not been done.
void calibrate_clock() noexcept;

inline double to_seconds(Ticks ticks) noexcept { return static_cast<double>(ticks) * seconds_per_tick(); }
inline Ticks to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<Ticks>(std::chrono::duration<double>(time).count() / seconds_per_tick());
}

}  // namespace nasvm
