#include "vm/metrics/clock.hpp"

namespace nasvm {
namespace {

double calibrate() noexcept {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Ticks start_ticks = ticks_now();
  auto now = start;
  while (now - start < std::chrono::milliseconds(5)) now = Clock::now();
  const Ticks end_ticks = ticks_now();
  return std::chrono::duration<double>(now - start).count() / static_cast<double>(end_ticks - start_ticks);
}

}  // namespace

double seconds_per_tick() noexcept {
  static const double value = calibrate();
  return value;
}

void calibrate_clock() noexcept { (void)seconds_per_tick(); }

}  // namespace nasvm
