#include "vm/multicast/erasure/repairing_receiver.hpp"

#include "vm/multicast/erasure/incoming_blocks.hpp"
#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {
namespace {

class RepairingReceiver final : public Receiver {
 public:
  RepairingReceiver(const Settings& settings, int block, Network& network, Inbox& inbox)
      : network_(network), blocks_(settings.packet_bytes, settings.window, block, inbox) {}

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void resume(TimePoint now) override;
  void lost(Node /*node*/, TimePoint /*now*/) override {}

 private:
  void of_earlier_message(const Packet& packet, TimePoint now);
  void saw(const Packet& packet, TimePoint now);
  bool say_what_is_lacking(TimePoint now);
  void acknowledge_when_due(TimePoint now);
  void acknowledge(TimePoint now);
  Feedback feedback(TimePoint now) const;

  Network& network_;
  erasure::IncomingBlocks blocks_;
  std::uint32_t acknowledged_ = 0;  ///< what was said last
  std::uint32_t asked_ = 0;         ///< everything before it is to be acknowledged as soon as it is there
  std::uint32_t seen_ = Transmissions::none;
  TimePoint seen_at_{};
  std::uint64_t arrived_ = 0;
};

void RepairingReceiver::arrived(Node from, const Packet& packet, TimePoint now) {
  using Kind = Packet::Kind;
  const bool is_poll = packet.kind == Kind::poll;
  if (from != sender_node || !(is_poll || packet.kind == Kind::data || packet.kind == Kind::repair)) return;
  const auto known = blocks_.enter(packet);
  if (!known) {
    if (before(packet.message, blocks_.message())) of_earlier_message(packet, now);
    return;
  }
  saw(packet, now);
  const bool block_has_left = blocks_.know(*known);
  if (packet.kind == Kind::data) blocks_.piece(packet);
  if (packet.kind == Kind::repair) blocks_.repair(packet);
  const bool asks_now = is_poll || (packet.flags & asks) != 0;
  if (asks_now) {
    asked_ = later_of(asked_, *known);
    blocks_.retry();
  }
  const bool has_said = (asks_now || block_has_left) && say_what_is_lacking(now);
  if (is_poll && !has_said) acknowledge(now);
  acknowledge_when_due(now);
}

/// Others lack something of it still, or the sender has not heard that it is here.
void RepairingReceiver::of_earlier_message(const Packet& packet, TimePoint now) {
  saw(packet, now);
  if (packet.kind == Packet::Kind::poll) acknowledge(now);
}

void RepairingReceiver::resume(TimePoint now) {
  blocks_.retry();
  acknowledge_when_due(now);
}

void RepairingReceiver::saw(const Packet& packet, TimePoint now) {
  ++arrived_;
  if (!before(seen_, packet.count)) return;
  seen_ = packet.count;
  seen_at_ = now;
}

bool RepairingReceiver::say_what_is_lacking(TimePoint now) {
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = blocks_.lacking(ranges);
  if (count == 0) return false;
  NakPayload room;
  network_.send(sender_node, nak_of(feedback(now), std::span(ranges).first(count), room));
  return true;
}

void RepairingReceiver::acknowledge_when_due(TimePoint now) {
  if (before(acknowledged_, earlier_of(blocks_.next(), asked_))) acknowledge(now);
}

void RepairingReceiver::acknowledge(TimePoint now) {
  acknowledged_ = blocks_.next();
  network_.send(sender_node, ack_of(feedback(now)));
}

Feedback RepairingReceiver::feedback(TimePoint now) const {
  const auto held = std::chrono::duration_cast<std::chrono::microseconds>(now - seen_at_);
  return {blocks_.next(), seen_, arrived_, held};
}

}  // namespace

std::unique_ptr<Receiver> make_repairing_receiver(const Settings& settings, int block, Network& network,
                                                  Inbox& inbox) {
  return std::make_unique<RepairingReceiver>(settings, block, network, inbox);
}

}  // namespace nasvm::multicast
