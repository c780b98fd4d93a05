#pragma once
/// \file
/// Layout of the datagrams between daemons: header, selective acknowledgements, payload (docs/link.md).
///
/// Integers are little-endian whatever the host. Sequence numbers are offsets in the byte stream of one
/// direction, 64 bits wide, so that data can be cut anew when the path takes only shorter datagrams. A *body* is
/// what this file encodes; on the wire it is followed by the authentication tag (vm/link/seal.hpp).

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace nasvm::link {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t header_bytes = 48;
inline constexpr std::size_t range_bytes = 8;
inline constexpr std::size_t max_ranges = 16;  ///< selective acknowledgements in one datagram
inline constexpr std::size_t tag_bytes = 16;
/// The longest acknowledgement fits every path.
inline constexpr std::size_t min_datagram_bytes = header_bytes + max_ranges * range_bytes + tag_bytes + 8;
/// What IPv4 allows: 65535 minus the IP and UDP headers.
inline constexpr std::size_t max_datagram_bytes = 65507;

enum class DatagramType : std::uint8_t {
  data = 1,             ///< at least one byte of payload
  acknowledgement = 2,  ///< no payload
  probe = 3,            ///< no payload; asks for an acknowledgement
};

/// Type of the datagrams for several hosts, whose layout is another one (vm/link/shared_wire.hpp).
inline constexpr std::uint8_t shared_type = 4;
/// Where those go; no host has this index.
inline constexpr std::uint16_t every_host = 0xffff;

/// Bytes [begin, end) of the stream.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Header {
  DatagramType type = DatagramType::data;
  bool answer_at_once = false;  ///< the sender is about to wait for the acknowledgement
  bool echo_valid = false;
  bool hears_shared = false;       ///< a shared datagram of the receiver of this has come here lately
  std::uint16_t source = 0;        ///< index of the sending host
  std::uint16_t destination = 0;   ///< index of the receiving host
  std::uint64_t counter = 0;       ///< datagrams sent before on this channel: orders them, makes nonces unique
  std::uint64_t sequence = 0;      ///< stream offset of the first byte of payload
  std::uint64_t acknowledged = 0;  ///< everything before this offset has arrived
  std::uint32_t window = 0;        ///< bytes that the receiver can take from `acknowledged` on
  std::uint32_t timestamp = 0;     ///< sender's clock, microseconds
  std::uint32_t echo = 0;          ///< latest timestamp of the peer, plus the time it was held
};

/// A decoded body; `payload` points into it.
struct Datagram {
  Header header;
  std::array<Range, max_ranges> ranges{};
  std::size_t range_count = 0;
  std::span<const std::byte> payload;
};

/// Writes header and ranges (absolute offsets, after `header.acknowledged`); the payload of `payload_bytes` follows
/// at the returned position. `out` must be long enough.
std::size_t encode(const Header& header, std::span<const Range> ranges, std::size_t payload_bytes,
                   std::span<std::byte> out);

/// Nothing when the body is truncated, too long, of another version, or contradicts itself.
std::optional<Datagram> decode(std::span<const std::byte> body);

/// What all bodies begin with; shorter ones are of nobody.
inline constexpr std::size_t origin_bytes = 16;

/// Host that a body claims to come from and its counter, readable before authentication; the body must have
/// origin_bytes. Destination of a shared datagram: every_host.
struct Origin {
  std::uint16_t source;
  std::uint16_t destination;
  std::uint64_t counter;
};
Origin origin_of(std::span<const std::byte> body);

}  // namespace nasvm::link
