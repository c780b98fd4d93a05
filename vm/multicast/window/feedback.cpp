#include "vm/multicast/window/feedback.hpp"

#include <algorithm>
#include <limits>

namespace nasvm::multicast {
namespace {

void put(std::byte* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint32_t get(const std::byte* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(at[i]) << (8 * i);
  return value;
}

}  // namespace

Packet ack_of(const Feedback& feedback) {
  Packet packet;
  packet.kind = Packet::Kind::ack;
  packet.sequence = feedback.before;
  const auto held = std::clamp<std::int64_t>(feedback.held.count(), 0, std::numeric_limits<std::uint32_t>::max());
  packet.count = static_cast<std::uint32_t>(held);
  packet.offset = feedback.seen;
  packet.message_bytes = feedback.arrived;
  return packet;
}

Packet nak_of(const Feedback& feedback, std::span<const Range> missing, NakPayload& room) {
  Packet packet = ack_of(feedback);
  packet.kind = Packet::Kind::nak;
  std::byte* end = room.data();
  for (const Range& range : missing.first(std::min(missing.size(), max_nak_ranges))) {
    put(end, range.first);
    put(end + 4, range.count);
    end += 8;
  }
  packet.payload = {room.data(), end};
  return packet;
}

Feedback feedback_of(const Packet& packet) {
  return {packet.sequence, static_cast<std::uint32_t>(packet.offset), packet.message_bytes,
          std::chrono::microseconds(packet.count)};
}

std::size_t missing_of(const Packet& nak, std::span<Range, max_nak_ranges> ranges) {
  if (nak.payload.size() % 8 != 0) return 0;
  const std::size_t count = std::min(nak.payload.size() / 8, max_nak_ranges);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = nak.payload.data() + 8 * i;
    ranges[i] = {get(at), get(at + 4)};
  }
  return count;
}

}  // namespace nasvm::multicast
