#pragma once
/// \file
/// What makes a datagram socket one of a multicast group: the system's settings for sending to a group by one
/// interface and for hearing it there (IPv4). Each function returns why not, in words, where the system refuses;
/// empty: done.

#include <cstdint>
#include <string>

#include "vm/net/address.hpp"

namespace nasvm::multicast {

/// The interface that has an address; index 0: none has it.
struct GroupInterface {
  int index = 0;
  std::string name;
  std::size_t mtu = 0;  ///< longest IP packet; 0: not known
};
GroupInterface interface_of(const net::SocketAddress& address);

/// What the socket sends to groups leaves by that interface, passes `ttl` - 1 routers, and comes back to members on
/// this computer.
std::string send_to_groups_by(int descriptor, const GroupInterface& interface, int ttl);
/// The socket hears what is sent to the group and arrives there, and no other group's packets.
std::string join(int descriptor, const net::SocketAddress& group, const GroupInterface& interface);
/// The system throws away what one of the group's nodes has sent, the socket's own owner: it comes back to this
/// computer where that has other members. Does nothing where the system cannot.
void ignore_own(int descriptor, std::uint32_t label, std::uint16_t node);

}  // namespace nasvm::multicast
