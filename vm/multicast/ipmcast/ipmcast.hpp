#pragma once
/// \file
/// Protocol `ipmcast`: each packet is multicast, each receiver acknowledges each packet, a packet is multicast again
/// at most `retries` times, and then goes by unicast to the receivers that still miss it. Dunigan and Hall, PVM and
/// IP Multicast, section 3.2, without what made it slow (section 3.3): no set-up message, a window, and no waiting
/// for a time-out where a receiver can tell what it misses. A message of k packets: k multicasts and k × N
/// acknowledgements; two steps. docs/multicast/ipmcast.md

#include <array>
#include <memory>

#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

inline constexpr std::array ipmcast_parameters{
    packet_parameter, window_parameter,
    ParameterRow{"retries", ParameterKind::count, 0, 1000,
                 "times that a packet is multicast again before it goes by unicast (default 3)"},
    rate_parameter, timeout_parameter};

std::unique_ptr<Sender> make_ipmcast_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_ipmcast_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
