#include "vm/multicast/erasure/incoming_blocks.hpp"

namespace nasvm::multicast::erasure {
namespace {

/// A message with more pieces than sequence numbers can tell apart is none.
constexpr std::uint64_t most_message_pieces = std::uint64_t{1} << 30;

/// Blocks that the window can touch: all of a message are at least half as long as they may be, but for the only one.
std::size_t slots_for(std::uint32_t window, int most_pieces) {
  return 2 * std::size_t{window} / static_cast<std::size_t>(most_pieces) + 2;
}

}  // namespace

IncomingBlocks::IncomingBlocks(std::size_t packet_bytes, std::uint32_t window, int most_pieces, Inbox& inbox)
    : packet_bytes_(packet_bytes),
      window_(window),
      most_pieces_(most_pieces),
      inbox_(inbox),
      slots_(slots_for(window, most_pieces)) {}

std::optional<std::uint32_t> IncomingBlocks::enter(const Packet& packet) {
  if (packet.message != message_) return std::nullopt;
  const Layout layout = layout_ ? *layout_ : Layout(next_, packet.message_bytes, packet_bytes_, most_pieces_);
  if (layout.message_bytes() != packet.message_bytes || layout.pieces() > most_message_pieces) return std::nullopt;
  const auto known = shows(packet, layout);
  if (!known || before(next_ + window_, *known)) return std::nullopt;
  layout_ = layout;
  return known;
}

std::optional<std::uint32_t> IncomingBlocks::shows(const Packet& packet, const Layout& layout) const {
  const bool is_poll = packet.kind == Packet::Kind::poll;
  if (!layout.contains(is_poll ? packet.sequence - 1 : packet.sequence)) return std::nullopt;
  if (is_poll) return packet.sequence;
  if (packet.kind == Packet::Kind::data) return packet.sequence + 1;
  const Range block = layout.range(layout.block_of(packet.sequence));
  return block.first == packet.sequence ? std::optional(block.end()) : std::nullopt;
}

bool IncomingBlocks::know(std::uint32_t sequence) {
  if (!before(known_, sequence)) return false;
  const bool is_end = layout_->range(layout_->block_of(sequence - 1)).end() == sequence;
  const bool is_further = layout_->block_of(sequence - 1) != layout_->block_of(known_);
  known_ = sequence;
  return is_end || is_further;
}

void IncomingBlocks::piece(const Packet& data) {
  if (before(data.sequence, next_) || data.offset != layout_->offset(data.sequence)) return;
  const std::uint32_t block = layout_->block_of(data.sequence);
  Slot& place = slot(block);
  const auto index = static_cast<int>(data.sequence - layout_->range(block).first);
  if (!place.block.add_piece(index, data.payload, code_)) return;
  if (place.block.lacking() == 0) {
    hand_over(place);
  } else {
    hand_over(place, data.sequence);
  }
  go_on();
}

void IncomingBlocks::repair(const Packet& packet) {
  const std::uint32_t block = layout_->block_of(packet.sequence);
  if (!before(next_, layout_->range(block).end()) || packet.offset >= most_rows) return;
  Slot& place = slot(block);
  const bool is_new = place.block.add_repair(static_cast<int>(packet.offset), packet.payload, code_);
  if (!is_new || place.block.lacking() > 0) return;
  hand_over(place);
  go_on();
}

void IncomingBlocks::retry() {
  if (!layout_) return;
  for (std::uint32_t block = layout_->block_of(next_); block < layout_->blocks(); ++block) {
    if (!before(layout_->range(block).first, known_)) break;
    if (open_slot(block) != nullptr) hand_over(slot(block));
  }
  go_on();
}

std::size_t IncomingBlocks::lacking(std::span<Range> out) const {
  std::size_t count = 0;
  if (!layout_) return count;
  for (std::uint32_t block = layout_->block_of(next_); block < layout_->blocks() && count < out.size(); ++block) {
    const Range range = layout_->range(block);
    if (before(known_, range.end())) break;
    const std::uint32_t lacks = lacking_of(block);
    if (lacks > 0) out[count++] = {range.first, lacks};
  }
  return count;
}

const IncomingBlocks::Slot* IncomingBlocks::open_slot(std::uint32_t block) const {
  const Slot& place = slots_[block % slots_.size()];
  return !place.taken.empty() && place.number == block ? &place : nullptr;
}

IncomingBlocks::Slot& IncomingBlocks::slot(std::uint32_t block) {
  Slot& place = slots_[block % slots_.size()];
  if (open_slot(block) == nullptr) {
    place.block.reset(layout_->bytes(block), packet_bytes_);
    place.taken.assign(layout_->range(block).count, false);
    place.number = block;
  }
  return place;
}

std::uint32_t IncomingBlocks::lacking_of(std::uint32_t block) const {
  const Range range = layout_->range(block);
  if (!before(next_, range.end())) return 0;
  const Slot* place = open_slot(block);
  return place != nullptr ? static_cast<std::uint32_t>(place->block.lacking()) : range.count;
}

/// Offers all pieces that the block has; until one is not taken.
void IncomingBlocks::hand_over(Slot& place) {
  const std::uint32_t first = layout_->range(place.number).first;
  for (int index = 0; index < place.block.pieces(); ++index) {
    if (place.block.has(index) && !hand_over(place, first + static_cast<std::uint32_t>(index))) return;
  }
}

bool IncomingBlocks::hand_over(Slot& place, std::uint32_t sequence) {
  const std::uint32_t index = sequence - layout_->range(place.number).first;
  if (place.taken[index]) return true;
  Packet data;
  data.message = message_;
  data.sequence = sequence;
  data.offset = layout_->offset(sequence);
  data.message_bytes = layout_->message_bytes();
  data.payload = place.block.piece(static_cast<int>(index));
  return place.taken[index] = inbox_.take(data);
}

/// Everything may have come up to a later piece now, or to the message's end.
void IncomingBlocks::go_on() {
  while (next_ != layout_->end()) {
    const std::uint32_t block = layout_->block_of(next_);
    const Slot* place = open_slot(block);
    if (place == nullptr || !place->taken[next_ - layout_->range(block).first]) return;
    ++next_;
  }
  inbox_.complete(message_++);
  known_ = next_;
  layout_.reset();
  for (Slot& place : slots_) place.taken.clear();
}

}  // namespace nasvm::multicast::erasure
