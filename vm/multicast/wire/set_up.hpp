#pragma once
/// \file
/// The set-up of a group whose members have opened their ports and know each other's addresses: whom multicast
/// reaches, and how long its packets may be (reach.hpp), over real sockets.

#include <vector>

#include "vm/multicast/wire/driver.hpp"
#include "vm/multicast/wire/reach.hpp"

namespace nasvm::multicast {

struct SetUpOptions {
  /// Datagrams (UDP payload) to try, the longest first; empty: what the interface takes whole, then Ethernet's 1472,
  /// then the 1252 that every path takes; by IPv6 20 less.
  std::vector<std::size_t> datagram_bytes{};
  /// So long members may take to come to this call.
  std::chrono::nanoseconds silence = std::chrono::seconds(30);
  /// Asked from time to time: tells the end of nodes that are lost (End::lost), and throws when the owner knows that
  /// it is in vain. It is the same end all the time.
  std::function<void(End& end)> check = [](End& /*end*/) {};
};

/// Collective: all nodes of the group call it, and all return the same. After it the port's `send_to_all` reaches
/// every node, those that multicast does not by unicast. When the result says `disturbed`, another group is on the
/// address: all members have to make new ports for a group drawn anew. Throws RunError, with the addresses, when a
/// node that is not lost is not to be reached at all, and when node 0 never asks.
Reach set_up(GroupPort& port, const SetUpOptions& options);

}  // namespace nasvm::multicast
