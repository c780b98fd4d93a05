#include "vm/multicast/window/requests.hpp"

#include <algorithm>

namespace nasvm::multicast {
namespace {

using namespace std::chrono_literals;

link::RttEstimator::Options repair_times(Duration path_timeout) {
  return {.initial_timeout = std::max<Duration>(10ms, path_timeout),
          .min_timeout = 1ms,
          .max_timeout = 200ms,
          .max_ack_delay = 0ms};
}
/// How long a receiver waits at most for another's NAK before it sends its own.
constexpr Duration longest_random_wait = 2ms;
/// After these many rounds without room or answer the time between two grows no more.
constexpr int most_doublings = 6;

/// Adds the packet to the last range, or begins a new one. False: there is no place for that.
bool add(std::uint32_t sequence, std::span<Range> out, std::size_t& count) {
  if (count > 0 && out[count - 1].end() == sequence) {
    ++out[count - 1].count;
    return true;
  }
  if (count == out.size()) return false;
  out[count++] = {sequence, 1};
  return true;
}

}  // namespace

Requests::Requests(const Settings& settings, Node self, std::uint32_t capacity)
    : fixed_timeout_(settings.timeout),
      longest_wait_(settings.receivers_suppress ? longest_random_wait : Duration{}),
      random_(static_cast<unsigned>(self)),
      repair_time_(repair_times(settings.path_timeout)),
      slots_(capacity) {}

Duration Requests::patience(int times) const {
  const int doublings = std::min(times, most_doublings);
  return fixed_timeout_.count() > 0 ? fixed_timeout_ * (1 << doublings) : repair_time_.timeout(doublings);
}

Duration Requests::random_wait() {
  if (longest_wait_.count() == 0) return {};
  return Duration(std::uniform_int_distribution<Duration::rep>(0, longest_wait_.count())(random_));
}

void Requests::missed(Range range, std::uint32_t transmission, TimePoint now) {
  if (range.count == 0) return;
  const TimePoint due = now + overtaking_.wait() + random_wait();
  for (std::uint32_t sequence = range.first; sequence != range.end(); ++sequence) {
    slot(sequence) = {.missed = now, .due = due, .asked = {}, .shown = transmission, .times = 0};
  }
  deadline_ = std::min(deadline_, due);
}

void Requests::heard(Range range, const ReceiveWindow& window, TimePoint now) {
  if (before(range.first, window.next())) range = {window.next(), range.end() - window.next()};
  const TimePoint due = now + patience(0) + random_wait();
  for (std::uint32_t sequence = range.first; before(sequence, range.end()) && before(sequence, window.known());
       ++sequence) {
    if (!window.has(sequence)) slot(sequence).due = due;
  }
}

void Requests::refused(std::uint32_t sequence, std::uint32_t transmission, TimePoint now) {
  Slot& packet = slot(sequence);
  packet.missed = packet.due = now;
  packet.shown = transmission;
  packet.times = 0;
  if (refusals_ == 0) wait_for_room(now);
}

void Requests::wait_for_room(TimePoint now) {
  no_room_until_ = now + patience(refusals_);
  ++refusals_;
  deadline_ = no_room_until_;
}

void Requests::found(std::uint32_t sequence, std::uint32_t transmission, TimePoint now) {
  const Slot& packet = slot(sequence);
  if (before(transmission, packet.shown)) {
    overtaking_.was_late(now - packet.missed);
  } else {
    overtaking_.was_lost();
    // After a second request nobody knows which one was answered.
    if (packet.times == 1) repair_time_.add(now - packet.asked);
  }
  taken(now);
}

void Requests::room(TimePoint now) {
  if (refusals_ == 0) return;
  refusals_ = 0;
  all_at_once(now);
}

void Requests::all_at_once(TimePoint now) {
  ask_what_is_older_ = now;
  if (refusals_ == 0) deadline_ = std::min(deadline_, now);
}

void Requests::ask(std::uint32_t sequence, TimePoint now) {
  Slot& packet = slot(sequence);
  packet.asked = now;
  packet.due = now + patience(packet.times) + random_wait();
  ++packet.times;
}

std::size_t Requests::collect(const ReceiveWindow& window, TimePoint now, std::span<Range> out) {
  return refusals_ > 0 ? collect_one(window, now, out) : collect_due(window, now, out);
}

/// Without room a single packet is asked for from time to time, to see whether there is some again.
std::size_t Requests::collect_one(const ReceiveWindow& window, TimePoint now, std::span<Range> out) {
  deadline_ = no_room_until_;
  if (now < no_room_until_ || !window.has_gaps()) return 0;
  ask(window.next(), now);
  wait_for_room(now);
  out[0] = {window.next(), 1};
  return 1;
}

bool Requests::is_due(const Slot& packet, TimePoint now) const {
  return packet.due <= now || (packet.asked < ask_what_is_older_ && packet.missed + overtaking_.wait() <= now);
}

std::size_t Requests::collect_due(const ReceiveWindow& window, TimePoint now, std::span<Range> out) {
  std::size_t count = 0;
  deadline_ = TimePoint::max();
  for (Range gap = window.missing(window.next()); gap.count > 0; gap = window.missing(gap.end())) {
    for (std::uint32_t sequence = gap.first; sequence != gap.end(); ++sequence) {
      Slot& packet = slot(sequence);
      if (is_due(packet, now)) {
        if (!add(sequence, out, count)) {
          deadline_ = now;
          return count;
        }
        ask(sequence, now);
      }
      deadline_ = std::min(deadline_, packet.due);
    }
  }
  ask_what_is_older_ = TimePoint{};
  return count;
}

}  // namespace nasvm::multicast
