#pragma once
/// \file
/// Protocol `ack`: each receiver acknowledges to the sender each `coalesce`-th packet (the paper: each one) and the
/// last. Lane, Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols over Ethernet-Connected Networks,
/// section 3, ACK-based protocols. A message of k packets: k multicasts and ceil(k / coalesce) × N acknowledgements;
/// two steps.

#include <array>
#include <memory>

#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

inline constexpr std::array ack_parameters{packet_parameter, window_parameter,  coalesce_parameter,
                                           rate_parameter,   timeout_parameter, suppress_parameter};

std::unique_ptr<Sender> make_ack_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_ack_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
