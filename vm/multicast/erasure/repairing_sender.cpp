#include "vm/multicast/erasure/repairing_sender.hpp"

#include <vector>

#include "vm/multicast/erasure/layout.hpp"
#include "vm/multicast/erasure/reed_solomon.hpp"
#include "vm/multicast/erasure/repair_plan.hpp"
#include "vm/multicast/pieces.hpp"
#include "vm/multicast/window/paced_sender.hpp"
#include "vm/multicast/window/progress.hpp"

namespace nasvm::multicast {
namespace {

class RepairingSender final : public PacedSender {
 public:
  RepairingSender(const Group& group, const Settings& settings, int block, Network& network)
      : PacedSender(group, settings, network),
        settings_(settings),
        block_(block),
        receivers_(group.receivers),
        progress_(group.receivers + 1),
        transmissions_(2 * settings.window),
        repair_(settings.packet_bytes) {
    for (Node node = 1; node <= group.receivers; ++node) progress_.add(node, 0);
  }

  void send(std::span<const std::byte> message, TimePoint now) override;
  bool done() const override { return base() == end_; }

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void lost(Node node, TimePoint now) override;

 private:
  /// Everything before it is where it has to be.
  std::uint32_t base() const { return progress_.empty() ? end_ : progress_.minimum(); }
  bool may_send_piece() const { return next_ != end_ && next_ - base() < settings_.window; }
  bool is_receiver(Node node) const { return node > 0 && node <= receivers_ && progress_.counts(node); }
  bool makes_sense(Node from, const Packet& packet) const;

  bool something_to_send() const override { return plan_.next() || may_send_piece(); }
  bool may_ask_at_once() const override { return next_ == end_; }
  void send_next(TimePoint now) override;
  Packet question(TimePoint now) override;

  void send_piece(TimePoint now);
  void send_repair(std::uint32_t block, TimePoint now);
  void send_for(std::uint32_t block, Packet packet, TimePoint now);
  bool note_missing(const Packet& nak);
  void release();

  Settings settings_;
  int block_;
  int receivers_;
  Progress progress_;
  Transmissions transmissions_;
  Pieces pieces_;
  erasure::Layout layout_;
  erasure::RepairPlan plan_;
  erasure::ReedSolomon code_;
  std::vector<std::byte> repair_;
  std::uint32_t message_ = 0;
  std::uint32_t next_ = 0;  ///< piece to send
  std::uint32_t end_ = 0;   ///< after the message's last piece
};

void RepairingSender::send(std::span<const std::byte> message, TimePoint now) {
  pieces_ = Pieces(message, message_++, end_, settings_.packet_bytes);
  layout_ = erasure::Layout(end_, message.size(), settings_.packet_bytes, block_);
  plan_.begin(layout_.blocks(), layout_.range(0).count);
  next_ = end_;
  end_ = pieces_.end();
  begin(now);
  pump(now);
}

/// Repairs first.
void RepairingSender::send_next(TimePoint now) {
  if (const auto block = plan_.next()) {
    send_repair(*block, now);
  } else {
    send_piece(now);
  }
}

void RepairingSender::send_piece(TimePoint now) {
  Packet packet = pieces_.packet(next_);
  const std::uint32_t block = layout_.block_of(next_++);
  if (next_ == layout_.range(block).end()) {
    plan_.left(block);
    packet.flags = plan_.wants(block) ? 0 : asks;
  }
  packet.count = transmissions_.add(now);
  leave(packet, now);
}

void RepairingSender::send_repair(std::uint32_t block, TimePoint now) {
  const Range range = layout_.range(block);
  // Beyond what the code has, all data leaves again: who lacks more pieces than there are repairs needs those.
  const std::uint32_t repairs = erasure::most_rows - range.count;
  const std::uint32_t turn = plan_.repairs(block) % erasure::most_rows;
  if (turn >= repairs) return send_for(block, pieces_.packet(range.first + (turn - repairs)), now);
  std::vector<erasure::Piece> pieces;
  for (std::uint32_t sequence = range.first; sequence != range.end(); ++sequence) {
    pieces.push_back(pieces_.packet(sequence).payload);
  }
  const auto bytes = std::span(repair_).first(pieces.front().size());
  code_.encode(pieces, static_cast<int>(turn), {&bytes, 1});

  Packet packet;
  packet.kind = Packet::Kind::repair;
  packet.message = message_ - 1;
  packet.sequence = range.first;
  packet.offset = turn;
  packet.message_bytes = layout_.message_bytes();
  packet.payload = bytes;
  send_for(block, packet, now);
}

/// One of those that the plan wants for that block.
void RepairingSender::send_for(std::uint32_t block, Packet packet, TimePoint now) {
  plan_.leave(block, transmissions_.next());
  packet.flags = plan_.wants(block) ? 0 : asks;
  packet.again = true;
  packet.count = transmissions_.add(now);
  leave(packet, now);
}

Packet RepairingSender::question(TimePoint now) {
  Packet poll;
  poll.kind = Packet::Kind::poll;
  poll.message = message_ - 1;
  poll.sequence = next_;
  poll.message_bytes = layout_.message_bytes();
  poll.count = transmissions_.add(now);
  return poll;
}

bool RepairingSender::makes_sense(Node from, const Packet& packet) const {
  if (packet.kind != Packet::Kind::ack && packet.kind != Packet::Kind::nak) return false;
  const Feedback feedback = feedback_of(packet);
  return is_receiver(from) && !before(next_, feedback.before) && transmissions_.has_left(feedback.seen);
}

void RepairingSender::arrived(Node from, const Packet& packet, TimePoint now) {
  if (done() || !makes_sense(from, packet)) return;
  const Feedback feedback = feedback_of(packet);
  measure(from, feedback, transmissions_, now);
  if (packet.kind == Packet::Kind::nak && !doubts(from) && note_missing(packet)) heard(now);
  if (progress_.advance(from, feedback.before)) {
    release();
    heard(now);
  }
  judge(from, feedback, transmissions_, now);
  pump(now);
}

/// Each range of the NAK is a block: its first piece, and how many of it are lacking.
bool RepairingSender::note_missing(const Packet& nak) {
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = missing_of(nak, ranges);
  const std::uint32_t seen = feedback_of(nak).seen;
  bool news = false;
  for (const Range& lacking : std::span(ranges).first(count)) {
    if (!layout_.contains(lacking.first)) continue;
    const std::uint32_t block = layout_.block_of(lacking.first);
    const Range range = layout_.range(block);
    const bool has_left = !before(next_, range.end());
    if (lacking.first != range.first || lacking.count > range.count || !has_left) continue;
    news = plan_.lacks(block, lacking.count, seen) || news;
  }
  return news;
}

void RepairingSender::release() {
  const std::uint32_t all_have = base();
  plan_.complete(all_have == end_ ? layout_.blocks() : layout_.block_of(all_have));
}

void RepairingSender::lost(Node node, TimePoint now) {
  if (!is_receiver(node)) return;
  measure_no_more(node);
  progress_.remove(node);
  if (end_ != 0) release();
  pump(now);
}

}  // namespace

std::unique_ptr<Sender> make_repairing_sender(const Group& group, const Settings& settings, int block,
                                              Network& network) {
  return std::make_unique<RepairingSender>(group, settings, block, network);
}

}  // namespace nasvm::multicast
