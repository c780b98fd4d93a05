#include "vm/waiting/spin_then_sleep.hpp"

#include <algorithm>

namespace nasvm {
namespace {

using namespace std::chrono_literals;

// Chosen, not measured, where nothing else is said.

/// Until one has been measured. Measured: the note, "Wake-ups".
constexpr auto usual_wake_up = 5us;
/// What a wake-up is believed to take at least and at most. A longer one has waited for its core, which is no cost of
/// sleeping: who looks on uses up the turn that it would have waited for.
constexpr auto least_wake_up = 1us;
constexpr auto longest_wake_up = 50us;

/// A wake-up moves what is believed by this part: after some tens it is near the median, wherever it began.
constexpr Ticks parts_of_step = 16;
/// Of a wait in the mean of the last ones.
constexpr Ticks parts_of_mean = 8;
/// Of waits that sleep at once, one in so many looks on to see whether that pays again.
constexpr unsigned waits_between_trials = 64;

}  // namespace

SpinThenSleep::SpinThenSleep() : wake_up_(to_ticks(usual_wake_up)) {}

void SpinThenSleep::learn(Ticks cost) { cost_ += (cost - cost_) / parts_of_mean; }

bool SpinThenSleep::begin() {
  if (looking_on_) learn(seen_ - begun_);
  begun_ = seen_ = 0;
  looking_on_ = looking_on_ || cost_ < longest() || ++asleep_at_once_ % waits_between_trials == 0;
  return looking_on_;
}

bool SpinThenSleep::goes_on(bool moved, Ticks now) {
  if (moved || begun_ == 0) begun_ = now;
  seen_ = now;
  if (!looking_on_) return false;
  if (now - begun_ < longest()) return true;
  learn(2 * longest());
  looking_on_ = false;
  return false;
}

void SpinThenSleep::woken_after(Ticks latency) {
  static const Ticks least = to_ticks(least_wake_up);
  static const Ticks most = to_ticks(longest_wake_up);
  const Ticks step = wake_up_ / parts_of_step;
  wake_up_ = std::clamp(latency > wake_up_ ? wake_up_ + step : wake_up_ - step, least, most);
}

}  // namespace nasvm
