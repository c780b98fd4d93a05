#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

/// Headers of this layer, UDP and IP.
constexpr std::size_t overhead_bytes = header_bytes + 28;

}  // namespace

SendingEnd::SendingEnd(const Group& group, const Settings& settings, const SendingRules& rules, Network& network)
    : network_(network),
      settings_(settings),
      rules_(rules),
      alive_(static_cast<std::size_t>(group.receivers) + 1, true),
      window_(settings.window),
      progress_(group.receivers + 1),
      round_trips_(group.receivers + 1, settings.timeout),
      overrun_(group.receivers + 1, 8.0 * static_cast<double>(settings.packet_bytes + overhead_bytes)),
      pacer_(settings.bits_per_second) {
  for (Node node = 1; rules.acknowledgers.empty() && node <= group.receivers; ++node) progress_.add(node, 0);
  for (const Node node : rules.acknowledgers) progress_.add(node, 0);
}

void SendingEnd::send(std::span<const std::byte> message, TimePoint now) {
  pieces_ = Pieces(message, message_++, window_.next(), settings_.packet_bytes);
  begun_ = true;
  silences_ = 0;
  if (progress_.empty()) return window_.skip(pieces_.end());
  pump(now);
}

bool SendingEnd::something_to_send() const {
  return window_.repair() || (window_.next() != pieces_.end() && !window_.full());
}

/// Sends what may leave now; repairs first.
void SendingEnd::pump(TimePoint now) {
  while (!done() && pacer_.next() <= now && network_.has_room()) {
    if (const auto again = window_.repair()) {
      leave(*again, now);
      ++counts_.retransmitted;
    } else if (window_.next() != pieces_.end() && !window_.full()) {
      leave(window_.next(), now);
    } else {
      break;
    }
  }
  set_deadline();
}

bool SendingEnd::asks_with(std::uint32_t sequence) const {
  if (rules_.poll == 0) return false;
  return sequence + 1 == pieces_.end() || (sequence - pieces_.first()) % rules_.poll == rules_.poll - 1;
}

void SendingEnd::leave(std::uint32_t sequence, TimePoint now) {
  Packet packet = pieces_.packet(sequence);
  packet.flags = asks_with(sequence) ? asks : 0;
  packet.count = window_.leave(sequence, now);
  network_.send_to_all(packet);
  pacer_.sent(packet.payload.size() + overhead_bytes, now);
  ++counts_.data_packets;
  last_event_ = now;
}

/// Nobody has said anything for long: asks all.
void SendingEnd::ask(TimePoint now) {
  Packet poll;
  poll.kind = Packet::Kind::poll;
  poll.message = message_ - 1;
  poll.sequence = window_.next();
  poll.count = window_.leave(now);
  network_.send_to_all(poll);
  ++counts_.control_packets;
  ++silences_;
  last_event_ = now;
}

void SendingEnd::set_deadline() {
  deadline_ = TimePoint::max();
  if (done()) return;
  if (!something_to_send()) {
    deadline_ = last_event_ + round_trips_.timeout(silences_);
  } else if (network_.has_room()) {
    deadline_ = pacer_.next();
  }
}

void SendingEnd::tick(TimePoint now) {
  if (done()) return;
  if (!something_to_send() && deadline_ <= now) ask(now);
  pump(now);
}

/// Of a receiver that is there, about packets that have left. Nothing is promised of what was sent long ago.
bool SendingEnd::makes_sense(Node from, const Packet& packet) const {
  if (packet.kind != Packet::Kind::ack && packet.kind != Packet::Kind::nak) return false;
  if (from <= sender_node || static_cast<std::size_t>(from) >= alive_.size()) return false;
  const Feedback feedback = feedback_of(packet);
  return alive_[static_cast<std::size_t>(from)] && !before(window_.next(), feedback.before) &&
         window_.transmissions().has_left(feedback.seen);
}

void SendingEnd::arrived(Node from, const Packet& packet, TimePoint now) {
  if (!makes_sense(from, packet)) return;
  const Feedback feedback = feedback_of(packet);
  measure(from, feedback, now);
  if (packet.kind == Packet::Kind::nak) repair(packet, now);
  if (progress_.advance(from, feedback.before)) release(now);
  if (!done()) pump(now);
}

void SendingEnd::measure(Node from, const Feedback& feedback, TimePoint now) {
  const Transmissions& transmissions = window_.transmissions();
  round_trips_.report(from, feedback, transmissions, now);
  if (settings_.bits_per_second > 0) return;
  if (overrun_.report(from, feedback, transmissions.next(), now)) pacer_.set_rate(overrun_.rate());
}

void SendingEnd::repair(const Packet& nak, TimePoint now) {
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = missing_of(nak, ranges);
  // A fixed time-out is the paper's rule: that while alone decides.
  const bool measured = settings_.timeout.count() == 0;
  const auto seen = measured ? std::optional(feedback_of(nak).seen) : std::nullopt;
  std::uint32_t news = 0;
  for (const Range& range : std::span(ranges).first(count)) {
    news += window_.miss(range, seen, now - round_trips_.timeout(0));
  }
  if (news > 0) heard(now);
}

void SendingEnd::heard(TimePoint now) {
  silences_ = 0;
  last_event_ = now;
}

void SendingEnd::release(TimePoint now) {
  window_.release(progress_.minimum());
  heard(now);
  if (done()) deadline_ = TimePoint::max();
}

void SendingEnd::lost(Node node, TimePoint now) {
  if (node <= sender_node || static_cast<std::size_t>(node) >= alive_.size()) return;
  if (!alive_[static_cast<std::size_t>(node)]) return;
  alive_[static_cast<std::size_t>(node)] = false;
  overrun_.lost(node);
  const Node heir = rules_.heir ? rules_.heir(node) : sender_node;
  if (heir != sender_node) progress_.add(heir, progress_.of(node));
  progress_.remove(node);
  if (!progress_.empty()) {
    release(now);
  } else if (begun_) {
    window_.skip(pieces_.end());
  }
  pump(now);
}

}  // namespace nasvm::multicast
