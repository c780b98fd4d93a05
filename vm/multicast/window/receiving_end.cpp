#include "vm/multicast/window/receiving_end.hpp"

#include <algorithm>

namespace nasvm::multicast {

ReceivingEnd::ReceivingEnd(const Group& group, const Settings& settings, Turns turns,
                           std::unique_ptr<Upstream> upstream, Network& network, Inbox& inbox)
    : network_(network),
      inbox_(inbox),
      turns_(turns),
      upstream_(std::move(upstream)),
      naks_to_all_(settings.receivers_suppress),
      window_(settings.window),
      requests_(settings, group.self, window_.capacity()),
      incoming_(settings.packet_bytes) {}

void ReceivingEnd::arrived(Node from, const Packet& packet, TimePoint now) {
  using Kind = Packet::Kind;
  if (from == sender_node) {
    if (packet.kind == Kind::data) data(packet, now);
    if (packet.kind == Kind::poll) poll(packet, now);
  } else if (packet.kind == Kind::ack &&
             (window_.fits(packet.sequence - 1) || !before(window_.next(), packet.sequence))) {
    upstream_->acknowledged(from, packet.sequence);
    acknowledge(Say::when_due, now);
  } else if (packet.kind == Kind::nak && naks_to_all_) {
    hear(packet, now);
  }
}

void ReceivingEnd::data(const Packet& packet, TimePoint now) {
  const bool is_old = before(packet.sequence, window_.next());
  if (!is_old && !(window_.fits(packet.sequence) && incoming_.accepts(packet))) return;
  ++arrived_;
  saw(packet.count, now);
  if (!is_old) {
    incoming_.begin(packet);
    const Range gap = window_.know(packet.sequence + 1);
    if (gap.count > 1) requests_.missed({gap.first, gap.count - 1}, packet.count, now);
    if (!window_.has(packet.sequence)) take(packet, gap.count == 0, now);
  }
  if ((packet.flags & asks) != 0) asked(packet.sequence + 1, now);
}

void ReceivingEnd::saw(std::uint32_t transmission, TimePoint now) {
  if (!before(seen_, transmission)) return;
  seen_ = transmission;
  seen_at_ = now;
}

void ReceivingEnd::take(const Packet& packet, bool was_missed, TimePoint now) {
  if (!inbox_.take(packet)) return requests_.refused(packet.sequence, packet.count, now);
  if (was_missed) {
    requests_.found(packet.sequence, packet.count, now);
  } else {
    requests_.taken(now);
  }
  window_.come(packet.sequence);
  acknowledge(Say::when_due, now);
  if (!incoming_.ends_at(window_.next())) return;
  inbox_.complete(incoming_.number());
  incoming_.finish();
}

void ReceivingEnd::poll(const Packet& packet, TimePoint now) {
  const bool is_old = !before(window_.next(), packet.sequence);
  if (!is_old && !window_.fits(packet.sequence - 1)) return;
  ++arrived_;
  saw(packet.count, now);
  requests_.missed(window_.know(packet.sequence), packet.count, now);
  asked(packet.sequence, now);
  // To the sender a NAK says as much; whoever else waits for this receiver's acknowledgement hears no NAKs.
  if (!window_.has_gaps() || upstream_->to() != sender_node) acknowledge(Say::always, now);
  if ((packet.flags & for_itself) != 0) speak_for_itself(now);
}

void ReceivingEnd::speak_for_itself(TimePoint now) {
  Packet word = ack_of(feedback(window_.next(), now));
  word.flags = for_itself;
  network_.send(sender_node, word);
}

/// The sender wants to know whether everything before `sequence` is there. If it is not, a NAK says what is missing,
/// and an acknowledgement follows when it is.
void ReceivingEnd::asked(std::uint32_t sequence, TimePoint now) {
  asked_ = later_of(asked_, sequence);
  if (window_.has_gaps()) {
    requests_.all_at_once(now);
  } else {
    acknowledge(Say::when_due, now);
  }
}

void ReceivingEnd::hear(const Packet& nak, TimePoint now) {
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = missing_of(nak, ranges);
  for (const Range& range : std::span(ranges).first(count)) requests_.heard(range, window_, now);
}

void ReceivingEnd::tick(TimePoint now) {
  while (requests_.deadline() <= now) {
    std::array<Range, max_nak_ranges> ranges;
    const std::size_t count = requests_.collect(window_, now, ranges);
    if (count == 0) return;
    NakPayload room;
    const Packet nak = nak_of(feedback(now), std::span(ranges).first(count), room);
    naks_to_all_ ? network_.send_to_all(nak) : network_.send(sender_node, nak);
  }
}

Feedback ReceivingEnd::feedback(TimePoint now) const {
  return feedback(upstream_->acknowledgeable(window_.next()), now);
}

Feedback ReceivingEnd::feedback(std::uint32_t upto, TimePoint now) const {
  const auto held = std::chrono::duration_cast<std::chrono::microseconds>(now - seen_at_);
  return {upto, seen_, arrived_, held};
}

bool ReceivingEnd::is_due(std::uint32_t sequence) const {
  if (!before(acknowledged_, sequence)) return false;
  if (turns_.stride == 1 || incoming_.ends_within(acknowledged_, sequence)) return true;
  if (before(acknowledged_, asked_) && !before(sequence, asked_)) return true;
  if (before(acknowledged_, incoming_.first())) {  // of a message that is complete here, but not yet farther down
    const std::uint32_t first = incoming_.first_of_last();
    return !before(sequence, incoming_.first()) || turns_.any(acknowledged_ - first, sequence - first);
  }
  return turns_.any(acknowledged_ - incoming_.first(), sequence - incoming_.first());
}

void ReceivingEnd::acknowledge(Say say, TimePoint now) {
  const std::uint32_t upto = upstream_->acknowledgeable(window_.next());
  if (say == Say::when_due && !is_due(upto)) return;
  acknowledged_ = later_of(acknowledged_, upto);
  network_.send(upstream_->to(), ack_of(feedback(upto, now)));
}

void ReceivingEnd::lost(Node node, TimePoint now) {
  const Node to = upstream_->to();
  upstream_->lost(node);
  // Who stands in the lost one's place has not heard of this receiver; and who waited for it waits no more.
  acknowledge(to == upstream_->to() ? Say::when_due : Say::always, now);
}

}  // namespace nasvm::multicast
