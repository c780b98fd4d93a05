#pragma once
/// \file
/// What all members of a group know of it before they open their sockets: who makes a group draws it, and hands it to
/// the others as text.
///
/// Nothing of it is fixed, as it was in 1994 (Dunigan and Hall, PVM and IP Multicast, section 3.2): the address is
/// drawn from the site-local range 239.255.0.0/16 (RFC 2365, section 6.1), the port from those that systems do not
/// give away by themselves, and the identifier, which decides, from 64 bits. A group that meets another one on its
/// address is drawn anew, with another identifier.

#include <cstdint>
#include <string>
#include <string_view>

#include "vm/auth.hpp"
#include "vm/net/address.hpp"

namespace nasvm::multicast {

/// Does each packet prove that it is of the group, or does it only say so?
enum class Authentication : std::uint8_t { none, tag };

struct GroupAddress {
  std::uint64_t identifier = 0;
  net::SocketAddress address;  ///< of IPv4, and multicast
  int ttl = 1;                 ///< routers that packets may pass, and one more
  Authentication authentication = Authentication::tag;

  /// The identifier as it stands in packets.
  [[nodiscard]] std::uint32_t label() const { return static_cast<std::uint32_t>(identifier); }
  /// "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1:authenticated".
  [[nodiscard]] std::string text() const;
};

inline constexpr int max_ttl = 255;

/// A group that has not been there before. Throws RunError when there are no random numbers.
GroupAddress draw_group_address(Authentication authentication, int ttl);
/// Reads what `text()` has written. Throws RunError for anything else, also for addresses out of the range.
GroupAddress parse_group_address(std::string_view text);
/// The group's own key, of no use for anything else.
Secret key_of(const GroupAddress& group, const Secret& machine);

}  // namespace nasvm::multicast
