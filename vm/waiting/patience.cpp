#include "vm/waiting/patience.hpp"

#include <algorithm>
#include <utility>

namespace nasvm {
namespace {

using namespace std::chrono_literals;

// Sources: docs/decisions/waiting.md. What is measured there is said to be; the rest is chosen, not measured.

/// Reading the clock takes as long as looking at memory a few times. Chosen.
constexpr unsigned looks_on_own_core = 16;

/// After this part of its time to poll, a task with a core of its own offers it all the same: the system may have put
/// the sender there. Chosen.
constexpr Ticks parts_before_yield = 16;

/// In a crowd, for what comes through memory. Measured ("looking on in a crowd"): tasks that wait for each other then
/// meet without sleeping, and cores do not rest.
constexpr auto longest_in_crowd = 3ms;

/// Who gets an offered core back only after so long shares it with somebody who computes: a task that waits, too,
/// gives it back within microseconds. Chosen.
constexpr auto long_turn = 2ms;

/// What a wake-up is believed to take where nobody else wants the core, before one has been measured, at least and at
/// most. Measured: 4 to 11 us; 150 us on virtual cores while their computer is overcommitted and has to find a core
/// for them first ("wake-ups").
constexpr auto usual_wake_up = 5us;
constexpr auto least_wake_up = 1us;
constexpr auto longest_wake_up = 200us;
/// A wake-up moves what is believed by this part, and one that is far above it doubles it: before looking on for
/// longer has been in vain a few times for being too short, it is long enough. Chosen: near the median after ten.
constexpr Ticks parts_of_step = 4;
constexpr Ticks far_above = 2;
/// The peer's wake-up, and as much again for longer ones than the median. Chosen.
constexpr Ticks wake_ups_to_outlast = 3;
/// With a core of its own, for what comes through memory. Measured ("sleeping costs the computing that follows"): a
/// core that has rested is slow for a while, and so is whoever waits for it.
constexpr auto longest_on_own_core = 10ms;
/// After so many waits in a row that have looked on for longer than usual and slept all the same (the peer computes,
/// or the computer below has one core for both) only one in so many does so. Chosen.
constexpr unsigned waits_in_vain = 4;
constexpr unsigned waits_between_trials = 64;

/// How often the run delay is measured, and how many eighths of that time are more than accidents: twice in a row,
/// and at once. Measured ("run delay"): 0.0 % in the median window of a quiet machine and up to 30 % in single ones,
/// for which it is not worth to give a core up; 50 % beside one that computes. Between them chosen.
constexpr auto measuring_interval = 20ms;
constexpr int disturbing_eighths = 1;
constexpr int plainly_disturbing_eighths = 3;

/// How long others are remembered. Chosen: a few measurements, and a few turns.
constexpr auto memory = 100ms;
constexpr auto memory_of_turn = 10ms;

}  // namespace

Patience::Patience(const Options& options, RunDelay run_delay)
    : run_delay_(std::move(run_delay)),
      crowded_(options.crowded),
      looks_(options.crowded ? 1 : looks_on_own_core),
      spin_(options.spin.count() > 0 ? to_ticks(options.spin) : 0),
      stretches_(options.stretches),
      wake_up_(to_ticks(usual_wake_up)) {}

void Patience::woken_after(Ticks latency) {
  static const Ticks least = to_ticks(least_wake_up);
  static const Ticks most = to_ticks(longest_wake_up);
  spin_then_sleep_.woken_after(latency);
  if (disturbed_) return;  // others' turns are no cost of waking up
  const Ticks step = latency > far_above * wake_up_ ? wake_up_ : wake_up_ / parts_of_step;
  wake_up_ = std::clamp(latency > wake_up_ ? wake_up_ + step : wake_up_ - step, least, most);
}

/// On a core of its own, after the usual time.
bool Patience::looks_on_for_longer(Ticks now, Ticks longest) {
  if (!stretches_) return false;
  if (now - sleep_at_ >= longest - spin_) {
    if (std::exchange(longer_, false)) ++in_vain_;
    return false;
  }
  if (!longer_) longer_ = in_vain_ < waits_in_vain || ++refused_ % waits_between_trials == 0;
  return longer_;
}

/// Seldom: it is a system call.
void Patience::look_for_others(Ticks now) {
  static const Ticks interval = to_ticks(measuring_interval);
  static const Ticks remembered = to_ticks(memory);
  const Ticks elapsed = now - measured_;
  if (!run_delay_ || elapsed < interval) return;
  const auto before = std::exchange(delay_seen_, run_delay_());
  const bool first = std::exchange(measured_, now) == 0;
  const auto exceeds = [&](int eighths) { return !first && to_ticks(delay_seen_ - before) > elapsed / 8 * eighths; };
  const bool held_up = exceeds(disturbing_eighths);
  const bool again = std::exchange(held_up_, held_up) || disturbed_;
  if ((held_up && again) || exceeds(plainly_disturbing_eighths)) calm_at_ = now + remembered;
  disturbed_ = now < calm_at_;
}

Patience::Advice Patience::begin(Awaited awaited) {
  awaited_ = awaited;
  sleep_at_ = 0;
  if (std::exchange(longer_, false)) in_vain_ = 0;  // the message has come meanwhile
  if (spin_ == 0) return Advice::sleep;
  const bool pays = crowded_ || spin_then_sleep_.begin();
  return disturbed_ && !pays ? Advice::sleep : Advice::look;
}

Patience::Advice Patience::advise(bool moved, Ticks now) {
  if (crowded_) return advise_crowded(moved, now);
  look_for_others(now);
  if (disturbed_) return spin_then_sleep_.goes_on(moved, now) ? Advice::look : Advice::sleep;
  if (moved || sleep_at_ == 0) {
    sleep_at_ = now + spin_;
    longer_ = false;
    return Advice::look;
  }
  static const Ticks for_memory = to_ticks(longest_on_own_core);
  const Ticks longest =
      std::max(awaited_ == Awaited::through_memory ? for_memory : 0, wake_ups_to_outlast * wake_up_);
  if (now >= sleep_at_ && !looks_on_for_longer(now, longest)) return Advice::sleep;
  return sleep_at_ - now < spin_ - spin_ / parts_before_yield ? Advice::yield : Advice::look;
}

Patience::Advice Patience::advise_crowded(bool moved, Ticks now) {
  static const Ticks turn = to_ticks(long_turn);
  static const Ticks remembered = to_ticks(memory_of_turn);
  const bool in_wait = sleep_at_ != 0;
  if (in_wait && now - asked_ > turn) calm_at_ = now + remembered;
  asked_ = now;
  disturbed_ = now < calm_at_;
  if (disturbed_) return Advice::sleep;
  static const Ticks for_memory = to_ticks(longest_in_crowd);
  const Ticks spin = stretches_ && awaited_ == Awaited::through_memory ? std::max(for_memory, spin_) : spin_;
  if (moved || !in_wait) sleep_at_ = now + spin;
  return now < sleep_at_ ? Advice::yield : Advice::sleep;
}

}  // namespace nasvm
