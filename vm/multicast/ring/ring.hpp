#pragma once
/// \file
/// Protocol `ring`: the receivers take turns, receiver r acknowledges packets r, r + N and so on, which says that it
/// has everything before them, too. Lane, Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols over
/// Ethernet-Connected Networks, section 3, ring-based protocols, with its three modifications: acknowledgements go to
/// the sender alone, all acknowledge the last packet of a message, and NAKs go to the sender, which repairs. A
/// message of k packets: k multicasts and k - 1 + N acknowledgements; two steps.

#include <array>
#include <memory>

#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

inline constexpr std::array ring_parameters{packet_parameter, window_parameter, rate_parameter, timeout_parameter,
                                            suppress_parameter};

std::unique_ptr<Sender> make_ring_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_ring_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
