#pragma once
/// \file
/// Authentication of a group's datagrams with the group's key.
///
/// A datagram is an envelope (envelope.hpp) and what follows it, then a tag of tag_bytes over all of it (gmac.hpp).
/// Nothing is secret; where it comes from is what counts. Nonce: sender's node, receiving node, and the sender's
/// datagram counter, which the datagram has and the receiver knows, so that a datagram for one node is worth nothing
/// at another. No nonce comes twice as long as a node opens one port for a group in its life, which is why a group
/// that moves is a new group.

#include <cstddef>
#include <memory>
#include <span>

#include "vm/multicast/wire/envelope.hpp"
#include "vm/multicast/wire/gmac.hpp"

namespace nasvm::multicast {

class GroupSeal {
 public:
  static constexpr std::size_t tag_bytes = Gmac::tag_bytes;

  explicit GroupSeal(std::unique_ptr<Gmac> gmac) : gmac_(std::move(gmac)) {}

  /// Writes the tag behind the body, which is the first `body_bytes` of `datagram` and begins with `envelope`;
  /// returns the whole length. `to`: the node that it is for, unless it is for all.
  std::size_t seal(std::span<std::byte> datagram, std::size_t body_bytes, const GroupEnvelope& envelope, Node to);
  /// Is the tag that of a member, for `self`? The datagram is at least as long as an envelope and a tag.
  [[nodiscard]] bool is_genuine(std::span<const std::byte> datagram, const GroupEnvelope& envelope, Node self);

 private:
  std::unique_ptr<Gmac> gmac_;
};

}  // namespace nasvm::multicast
