#pragma once
/// \file
/// Protocol `lineartree`: receivers stand in columns of `height`; each acknowledges a packet to the one before it
/// when the one behind it has, so the sender hears one acknowledgement from each column; it alone sends and repairs.
/// Lane, Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols over Ethernet-Connected Networks, section
/// 3, tree-based protocols, with its two modifications. Each acknowledges each `coalesce`-th packet (the paper: each
/// one) and the last. A message of k packets: k multicasts and ceil(k / coalesce) × N acknowledgements, of which
/// those of ceil(N / height) receivers reach the sender; 1 + height steps. Where nothing is lost, height 1 is `ack`.

#include <array>
#include <memory>

#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

inline constexpr std::array lineartree_parameters{
    packet_parameter,
    window_parameter,
    ParameterRow{"height", ParameterKind::count, 1, 1'000'000, "receivers in a column (default 6)"},
    coalesce_parameter,
    rate_parameter,
    timeout_parameter,
    suppress_parameter};

std::unique_ptr<Sender> make_lineartree_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_lineartree_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
