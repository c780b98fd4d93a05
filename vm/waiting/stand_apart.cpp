#include "vm/waiting/stand_apart.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace nasvm {
namespace {

using namespace std::chrono_literals;

/// So many wake-ups in a row are no accident. Chosen.
constexpr unsigned wake_ups_in_a_row = 16;
/// And that they come so soon after each other in the mean: who computes between them loses more by waiting for turns
/// on the other core than wake-ups cost. Measured: CG of class W, whose messages are 60 us apart, takes a sixth
/// longer beside one busy loop when its tasks stand apart; messages in a row come every 3 to 6 us.
constexpr auto short_round = 25us;

/// Leaving costs some tens of microseconds (two system calls, a cold core). Measured: with 5 ms in place of the least
/// pause, tasks beside one busy loop were on one core for half of the time (the note).
constexpr auto least_pause = 500us;
constexpr auto longest_pause = 20ms;
/// Who has been away for less has left in vain: the next pause is twice as long. Chosen.
constexpr auto worth_leaving = 200us;

}  // namespace

StandApart::StandApart() : pause_(to_ticks(least_pause)) {}

void StandApart::judge_last_leave(Ticks now) {
  static const Ticks least = to_ticks(least_pause);
  static const Ticks longest = to_ticks(longest_pause);
  static const Ticks worth = to_ticks(worth_leaving);
  if (!std::exchange(away_, false)) return;
  pause_ = now - left_ < worth ? std::min(2 * pause_, longest) : least;
}

StandApart::Advice StandApart::woken(int waker, int own, Ticks now) {
  static const Ticks round = to_ticks(short_round);
  if (waker < 0 || waker != own) {
    return std::exchange(from_own_core_, 0) >= wake_ups_in_a_row ? Advice::meet : Advice::stay;
  }
  judge_last_leave(now);
  if (from_own_core_ == 0) began_ = now;
  if (++from_own_core_ < wake_ups_in_a_row || (left_ != 0 && now - left_ < pause_)) return Advice::stay;
  const unsigned wake_ups = std::exchange(from_own_core_, 0);
  if (now - began_ > wake_ups * round) return Advice::stay;
  left_ = now;
  away_ = true;
  return Advice::leave;
}

}  // namespace nasvm
