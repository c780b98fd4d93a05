#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {

SendingEnd::SendingEnd(const Group& group, const Settings& settings, const SendingRules& rules, Network& network)
    : PacedSender(group, settings, network),
      rules_(rules),
      timeout_is_set_(settings.timeout.count() > 0),
      alive_(static_cast<std::size_t>(group.receivers) + 1, true),
      window_(settings.window),
      progress_(group.receivers + 1),
      each_(group.receivers + 1),
      packet_bytes_(settings.packet_bytes) {
  for (Node node = 1; rules.acknowledgers.empty() && node <= group.receivers; ++node) progress_.add(node, 0);
  for (const Node node : rules.acknowledgers) progress_.add(node, 0);
}

void SendingEnd::send(std::span<const std::byte> message, TimePoint now) {
  pieces_ = Pieces(message, message_++, window_.next(), packet_bytes_);
  begun_ = true;
  questions_ = 0;
  begin(now);
  if (progress_.empty()) window_.skip(pieces_.end());
  pump(now);
}

bool SendingEnd::something_to_send() const {
  return window_.repair() || (window_.next() != pieces_.end() && !window_.full());
}

bool SendingEnd::asks_with(std::uint32_t sequence) const {
  if (rules_.poll == 0) return false;
  return sequence + 1 == pieces_.end() || (sequence - pieces_.first()) % rules_.poll == rules_.poll - 1;
}

/// Repairs first.
void SendingEnd::send_next(TimePoint now) {
  const auto again = window_.repair();
  const std::uint32_t sequence = again.value_or(window_.next());
  Packet packet = pieces_.packet(sequence);
  packet.flags = asks_with(sequence) ? asks : 0;
  packet.again = again.has_value();
  packet.count = window_.leave(sequence, now);
  leave(packet, now);
}

/// Those that speak for others repeat what they said. Where every word has to pass several of them, loss may keep it
/// up for long, so all speak for themselves as well.
Packet SendingEnd::question(TimePoint now) {
  if (questions_++ == 0) ask_each_from_now_on();
  Packet poll;
  poll.kind = Packet::Kind::poll;
  poll.flags = asks_each() ? for_itself : 0;
  poll.message = message_ - 1;
  poll.sequence = window_.next();
  poll.count = window_.leave(now);
  return poll;
}

void SendingEnd::ask_each_from_now_on() {
  if (rules_.acknowledgers.empty()) return;
  for (Node node = 1; static_cast<std::size_t>(node) < alive_.size(); ++node) {
    if (alive_[static_cast<std::size_t>(node)]) each_.add(node, window_.base());
    else each_.remove(node);
  }
}

/// Of a receiver that is there, about packets that have left. Nothing is promised of what was sent long ago.
bool SendingEnd::makes_sense(Node from, const Packet& packet) const {
  if (packet.kind != Packet::Kind::ack && packet.kind != Packet::Kind::nak) return false;
  if (from <= sender_node || static_cast<std::size_t>(from) >= alive_.size()) return false;
  return alive_[static_cast<std::size_t>(from)] && !before(window_.next(), feedback_of(packet).before);
}

/// What a receiver says, which may be wrong in what it has seen last: then it counts as having seen nothing.
Feedback SendingEnd::read(const Packet& packet) const {
  Feedback feedback = feedback_of(packet);
  if (!window_.transmissions().has_left(feedback.seen)) feedback.seen = Transmissions::none;
  return feedback;
}

void SendingEnd::arrived(Node from, const Packet& packet, TimePoint now) {
  if (!makes_sense(from, packet)) return;
  const Feedback feedback = read(packet);
  const bool is_under_way = !done();
  measure(from, feedback, window_.transmissions(), now);
  if (packet.kind == Packet::Kind::nak && !doubts(from)) repair(packet, now);
  heed(from, packet, feedback, now);
  if (is_under_way) judge(from, feedback, window_.transmissions(), now);
  pump(now);
}

/// Whoever says that it has more has heard, and so have those that wait for others: nobody needs to be asked soon.
void SendingEnd::heed(Node from, const Packet& packet, const Feedback& feedback, TimePoint now) {
  const bool speaks_for_itself = packet.kind == Packet::Kind::ack && (packet.flags & for_itself) != 0;
  if (speaks_for_itself && !asks_each()) return;
  Progress& progress = speaks_for_itself ? each_ : progress_;
  if (!progress.counts(from) || !before(progress.of(from), feedback.before)) return;
  progress.advance(from, feedback.before);
  heard(now);
  release();
}

void SendingEnd::repair(const Packet& nak, TimePoint now) {
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = missing_of(nak, ranges);
  // A fixed time-out is the paper's rule: that while alone decides.
  const auto seen = timeout_is_set_ ? std::nullopt : std::optional(read(nak).seen);
  std::uint32_t news = 0;
  for (const Range& range : std::span(ranges).first(count)) {
    news += window_.miss(range, seen, now - patience());
  }
  if (news > 0) heard(now);
}

/// What all have, by whichever way that is known.
void SendingEnd::release() {
  if (before(window_.base(), progress_.minimum())) window_.release(progress_.minimum());
  if (asks_each() && before(window_.base(), each_.minimum())) window_.release(each_.minimum());
}

void SendingEnd::lost(Node node, TimePoint now) {
  if (node <= sender_node || static_cast<std::size_t>(node) >= alive_.size()) return;
  if (!alive_[static_cast<std::size_t>(node)]) return;
  alive_[static_cast<std::size_t>(node)] = false;
  measure_no_more(node);
  const Node heir = rules_.heir ? rules_.heir(node) : sender_node;
  if (heir != sender_node) progress_.add(heir, progress_.of(node));
  progress_.remove(node);
  each_.remove(node);
  if (!progress_.empty()) {
    heard(now);
    release();
  } else if (begun_) {
    window_.skip(pieces_.end());
  }
  pump(now);
}

}  // namespace nasvm::multicast
