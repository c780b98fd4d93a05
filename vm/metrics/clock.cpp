#include "vm/metrics/clock.hpp"

#include "vm/metrics/calibration.hpp"

namespace nasvm {

double seconds_per_tick() noexcept {
  static const double value = calibrated_tick_s(&std::chrono::steady_clock::now, &ticks_now);
  return value;
}

void calibrate_clock() noexcept { (void)seconds_per_tick(); }

}  // namespace nasvm
