#pragma once
/// \file
/// Layout of shared datagrams: one payload for several hosts, as a piece of each one's stream (docs/link.md).
///
/// It is sent once, to the machine's multicast group. An entry for each host that is to take it says where in the
/// stream from the source to that host the payload stands; no host learns anything beforehand, which was what kept
/// the multicast of 1994 waiting (Dunigan and Hall, PVM and IP Multicast, section 3.3). Without entries it is a
/// probe: who hears it says so on its link. Sealed as all datagrams are, with nonces of a destination that no host
/// has.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vm/link/wire.hpp"

namespace nasvm::link {

inline constexpr std::size_t shared_header_bytes = 26;
inline constexpr std::size_t shared_entry_bytes = 8;
/// Most hosts of one datagram: with more, two datagrams of 1472 bytes are shorter than one for all.
inline constexpr std::size_t max_shared_entries = 120;
/// Streams beyond this offset (281 TB) share nothing any more: entries have 6 bytes for it.
inline constexpr std::uint64_t shared_offset_limit = std::uint64_t{1} << 48;

/// A host, and the offset of the payload in the stream to it.
struct SharedEntry {
  std::uint16_t host = 0;
  std::uint64_t offset = 0;
};

struct SharedHeader {
  bool answer_at_once = false;
  std::uint16_t source = 0;     ///< index of the sending host
  std::uint32_t label = 0;      ///< of the machine's group: by it the system may throw away a sender's own
  std::uint64_t counter = 0;    ///< shared datagrams sent before
  std::uint32_t timestamp = 0;  ///< sender's clock, microseconds
};

/// A decoded body, as one host sees it; `payload` points into it.
struct SharedDatagram {
  SharedHeader header;
  std::optional<std::uint64_t> offset{};  ///< in the stream to this host; nothing: not for it
  std::span<const std::byte> payload;
};

/// Length of what precedes the payload.
constexpr std::size_t shared_overhead_bytes(std::size_t entries) {
  return shared_header_bytes + entries * shared_entry_bytes;
}

/// Writes header and entries; the payload of `payload_bytes` follows at the returned position.
std::size_t encode(const SharedHeader& header, std::span<const SharedEntry> entries, std::size_t payload_bytes,
                   std::span<std::byte> out);

/// Nothing when the body is no shared datagram or contradicts itself. `host`: who reads it.
std::optional<SharedDatagram> decode_shared(std::span<const std::byte> body, std::uint16_t host);

}  // namespace nasvm::link
