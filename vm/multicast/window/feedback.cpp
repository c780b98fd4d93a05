#include "vm/multicast/window/feedback.hpp"

#include <algorithm>
#include <limits>

#include "vm/little_endian.hpp"

namespace nasvm::multicast {
namespace {

using little_endian::get;
using little_endian::put;

constexpr std::size_t range_bytes = 8;

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
  std::size_t end = 0;
  for (const Range& range : missing.first(std::min(missing.size(), max_nak_ranges))) {
    put(room, end, range.first);
    put(room, end + 4, range.count);
    end += range_bytes;
  }
  packet.payload = std::span(room).first(end);
  return packet;
}

Feedback feedback_of(const Packet& packet) {
  return {packet.sequence, static_cast<std::uint32_t>(packet.offset), packet.message_bytes,
          std::chrono::microseconds(packet.count)};
}

std::size_t missing_of(const Packet& nak, std::span<Range, max_nak_ranges> ranges) {
  if (nak.payload.size() % range_bytes != 0) return 0;
  const std::size_t count = std::min(nak.payload.size() / range_bytes, max_nak_ranges);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = range_bytes * i;
    ranges[i] = {get<std::uint32_t>(nak.payload, at), get<std::uint32_t>(nak.payload, at + 4)};
  }
  return count;
}

}  // namespace nasvm::multicast
