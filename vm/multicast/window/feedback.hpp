#pragma once
/// \file
/// What receivers say: acknowledgements and NAKs, as packets.
///
///      ack: sequence: everything before it has come   count: microseconds since the transmission seen last
///           offset: that transmission   message_bytes: how many transmissions have come in all (data, repairs,
///           polls)
///      nak: the same, and the ranges of its payload have not, each two words of 32 bits (the first packet, how
///      many),
///           little-endian

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "vm/multicast/packet.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

/// Ranges in one NAK. More go into a second one.
inline constexpr std::size_t max_nak_ranges = 64;

struct Feedback {
  std::uint32_t before = 0;          ///< everything before it has come
  std::uint32_t seen = 0;            ///< number of the transmission seen last (Transmissions)
  std::uint64_t arrived = 0;         ///< transmissions so far
  std::chrono::microseconds held{};  ///< how long ago that transmission came; 0 to about an hour
};

using NakPayload = std::array<std::byte, max_nak_ranges * 8>;

Packet ack_of(const Feedback& feedback);
/// The packet's payload is in `room`; at most max_nak_ranges of the ranges.
Packet nak_of(const Feedback& feedback, std::span<const Range> missing, NakPayload& room);

Feedback feedback_of(const Packet& packet);
/// The ranges of a NAK; at most max_nak_ranges, none of a payload that is none. Returns how many.
std::size_t missing_of(const Packet& nak, std::span<Range, max_nak_ranges> ranges);

}  // namespace nasvm::multicast
