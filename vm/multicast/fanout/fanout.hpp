#pragma once
/// \file
/// Protocol `fanout`: one-to-n. The sender sends a copy of every packet to each receiver by itself, over links that
/// bring it there; nobody acknowledges anything to the sender. Between N receivers' hosts: N packets for each piece,
/// one step. Dunigan and Hall, PVM and IP Multicast, sections 3.1.5 and 3.1.6 (why PVM returned from a spanning tree
/// to this: the failure of one host loses messages to that host alone).

#include <memory>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

std::unique_ptr<Sender> make_fanout_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_fanout_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
