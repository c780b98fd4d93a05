#pragma once
/// \file
/// Protocol `lineartree`: receivers stand in columns of `height`; each acknowledges a packet to the one before it
/// when the one behind it has, so the sender hears one acknowledgement from each column; it alone sends and repairs.
/// Lane, Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols over Ethernet-Connected Networks, section
/// 3, tree-based protocols, with its two modifications. With `coalesce` each acknowledges each so many-th packet and
/// the last. A message of k packets: k multicasts and k × N acknowledgements, of which k × ceil(N / height) reach the
/// sender; 1 + height steps. Height 1 is `ack`.

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
