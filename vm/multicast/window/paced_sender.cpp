#include "vm/multicast/window/paced_sender.hpp"

#include <algorithm>
#include <utility>

namespace nasvm::multicast {
namespace {

/// Headers of this layer, UDP and IP.
constexpr std::size_t overhead_bytes = header_bytes + 28;

/// Questions of a message without a time-out before them. Chosen: 2 MB to 30 receivers take 32 at 5 % loss.
constexpr int most_at_once = 200;

}  // namespace

PacedSender::PacedSender(const Group& group, const Settings& settings, Network& network)
    : network_(network),
      window_(settings.window),
      rate_is_set_(settings.bits_per_second > 0),
      round_trips_(group.receivers + 1, settings.timeout, settings.path_timeout),
      overrun_(group.receivers + 1, 8.0 * static_cast<double>(settings.packet_bytes + overhead_bytes)),
      hearing_(group.receivers + 1),
      pacer_(settings.bits_per_second) {}

void PacedSender::pump(TimePoint now) {
  while (!done() && something_to_send() && pacer_.next() <= now && network_.has_room()) send_next(now);
  if (asks_at_once()) {
    ++at_once_;
    ask(After::data, now);
  }
  set_deadline();
  if (done() && !idle_since_) idle_since_ = now;
}

void PacedSender::leave(const Packet& packet, TimePoint now) {
  network_.send_to_all(packet);
  pacer_.sent(packet.payload.size() + overhead_bytes, now);
  ++counts_.data_packets;
  if (packet.again) {
    ++counts_.retransmitted;
    loses_ = true;
  }
  last_event_ = now;
  has_asked_ = false;
}

/// Once in a round trip at most, and not for ever: who never gets what leaves is left to the time-out.
bool PacedSender::asks_at_once() const {
  return (loses_ || lost_lately_) && !has_asked_ && is_answered_ && at_once_ < most_at_once && !done() &&
         may_ask_at_once() && !something_to_send() && network_.has_room();
}

/// Asks all.
void PacedSender::ask(After after, TimePoint now) {
  const Packet poll = question(now);
  question_ = poll.count;
  overrun_.asks();
  if (after == After::silence) ask_apart(poll);
  network_.send_to_all(poll);
  ++counts_.control_packets;
  last_event_ = now;
  has_asked_ = true;
  is_answered_ = false;
}

/// Those who seem to hear nothing that is for all: the poll leaves for all behind it.
void PacedSender::ask_apart(Packet poll) {
  const auto [ask_apart, deaf] = hearing_.ask(poll.count);
  for (const Node node : deaf) network_.give_copies(node);
  if (!deaf.empty()) {  // what they lack was not lost for leaving too fast
    overrun_.begin_anew();
    if (!rate_is_set_) pacer_.set_rate(overrun_.rate());
  }
  --poll.count;
  for (const Node node : ask_apart) {
    network_.send(node, poll);
    ++counts_.control_packets;
  }
}

void PacedSender::set_deadline() {
  deadline_ = TimePoint::max();
  if (done()) return;
  if (!something_to_send()) {
    deadline_ = last_event_ + round_trips_.timeout(silences_);
  } else if (network_.has_room()) {
    deadline_ = pacer_.next();
  }
}

void PacedSender::tick(TimePoint now) {
  if (done()) return;
  if (!something_to_send() && deadline_ <= now) {  // nobody has said anything for long
    end_silence(now);
    ++silences_;
    ask(After::silence, now);
  }
  pump(now);
}

void PacedSender::begin(TimePoint now) {
  if (idle_since_) overrun_.paused(now - *idle_since_, now);
  idle_since_.reset();
  lost_lately_ = std::exchange(loses_, false);
  is_answered_ = true;
  at_once_ = 0;
  silences_ = 0;
  last_event_ = now;
}

void PacedSender::heard(TimePoint now) {
  if (silences_ > 0) end_silence(now);
  silences_ = 0;
  last_event_ = now;
}

/// Beyond what an answer takes it is not the path's time: receivers without room have no news for long.
void PacedSender::end_silence(TimePoint now) {
  overrun_.paused(std::max(Duration{}, now - last_event_ - patience()), now);
}

void PacedSender::measure(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now) {
  if (!is_answered_ && !before(feedback.seen, question_)) is_answered_ = true;
  hearing_.report(from, feedback.seen);
  if (!hearing_.doubts(from)) round_trips_.report(from, feedback, transmissions, now);
}

void PacedSender::judge(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now) {
  if (rate_is_set_ || hearing_.doubts(from)) return;
  if (overrun_.report(from, feedback, transmissions.next(), now)) pacer_.set_rate(overrun_.rate());
}

}  // namespace nasvm::multicast
