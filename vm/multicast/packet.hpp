#pragma once
/// \file
/// What the ends of a multicast group say to each other: one header for all protocols, so that sequence numbers, loss
/// detection and counting are written once.
///
///      byte 0: kind   1: flags   2: message   6: sequence   10: count   14: offset (5 bytes)   19: message_bytes (5)
///
/// Integers are little-endian whatever the host; the payload follows at byte 24. Nothing is longer than it must be:
/// each byte of the header is missing to the payload on a slow wire. Who sent a packet, for which group, and that it
/// is genuine, is the network's to say and to check (Network), not this header's.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nasvm::multicast {

struct Packet {
  enum class Kind : std::uint8_t {
    data = 1,  ///< a piece of a message
    ack,       ///< everything before `sequence` has come (window/feedback.hpp has the other fields)
    nak,       ///< the same, and those of the payload have not
    poll,      ///< everything before `sequence` has left, and the sender wants to know; no payload
    repair,    ///< of erasure codes: for the block of packets that begins at `sequence`
  };

  Kind kind = Kind::data;
  std::uint8_t flags = 0;           ///< the protocol's own; but for data and repairs: `asks`
  std::uint32_t message = 0;        ///< number of the message, from 0
  std::uint32_t sequence = 0;       ///< of the group's data packets, from 0, counted on from message to message
  std::uint32_t count = 0;          ///< data, poll, repair: number of the transmission (window/transmissions.hpp)
  std::uint64_t offset = 0;         ///< data: where in the message the payload belongs; repair: its number
  std::uint64_t message_bytes = 0;  ///< data, repair: length of the message
  std::span<const std::byte> payload{};
  bool again = false;  ///< for who counts what leaves, not on the wire: data that left before, or a repair
};

/// Flag of data and repairs: the sender wants to know, as with a poll.
inline constexpr std::uint8_t asks = 1;
/// Flag of polls: each receiver is to say, to the sender itself, what it has, whoever it speaks for otherwise; and of
/// the acknowledgements that do.
inline constexpr std::uint8_t for_itself = 2;

inline constexpr std::size_t header_bytes = 24;
/// `offset` and `message_bytes` are below it.
inline constexpr std::uint64_t message_limit = std::uint64_t{1} << 40;

/// Writes the header into `out`, which has header_bytes. The payload belongs right behind it.
void write_header(const Packet& packet, std::span<std::byte> out);
/// Header and payload, as they go on the wire.
std::vector<std::byte> encode(const Packet& packet);
/// The payload points into `bytes`. Nothing when that is no packet, or data that lie outside their message.
std::optional<Packet> decode(std::span<const std::byte> bytes);

}  // namespace nasvm::multicast
