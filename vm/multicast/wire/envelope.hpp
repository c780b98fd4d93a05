#pragma once
/// \file
/// What stands before each packet of a group on the wire: which group, from whom, and for whom.
///
///      byte 0: 'M'   1: version (high half), marks (low half)   2: sender's node   4: label   8: counter (6 bytes)
///
/// Integers are little-endian. The packet (vm/multicast/packet.hpp) follows at byte 14, and the tag after it where
/// the group is authenticated (group_seal.hpp). An envelope is short, since each byte of it is missing to the payload
/// of every packet: of the group's 64-bit identifier it has 32, which tell groups apart that chance has put on one
/// address; the whole of it is in the key.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

struct GroupEnvelope {
  bool authenticated = false;  ///< a tag follows the packet
  bool to_all = false;         ///< for the whole group, though it may come as one node's own copy
  bool of_set_up = false;      ///< between those who find out whom multicast reaches (reach.hpp), not between ends
  std::uint16_t from = 0;
  std::uint32_t label = 0;    ///< of the group
  std::uint64_t counter = 0;  ///< datagrams that this node has sent before; below counter_limit
};

inline constexpr std::size_t envelope_bytes = 14;
inline constexpr std::uint64_t counter_limit = std::uint64_t{1} << 48;
inline constexpr Node node_limit = 0xffff;  ///< nodes of a group are below it

/// `out` has envelope_bytes.
void encode(const GroupEnvelope& envelope, std::span<std::byte> out);
/// Nothing when that is no datagram of any group, or of a version that is not ours.
std::optional<GroupEnvelope> decode_envelope(std::span<const std::byte> datagram);

}  // namespace nasvm::multicast
