#pragma once
/// \file
/// Protocol `nak`: receivers say what they miss, and acknowledge only when asked: with every `poll`-th packet and the
/// last the sender asks all. Lane, Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols over
/// Ethernet-Connected Networks, section 3, NAK-based protocols. A message of k packets: k multicasts and
/// ceil(k / poll) × N acknowledgements; two steps.

#include <array>
#include <memory>
#include <string>

#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

inline constexpr std::array<std::string_view, 2> fec_words{"off", "on"};
inline constexpr std::uint64_t default_block = 128;

inline constexpr std::array nak_parameters{
    packet_parameter,
    window_parameter,
    ParameterRow{"poll", ParameterKind::count, 1, max_window,
                 "packets after which the sender asks all receivers (default: 85 % of the window)"},
    rate_parameter,
    timeout_parameter,
    suppress_parameter,
    ParameterRow{"fec", ParameterKind::word, 0, fec_words.size() - 1,
                 "what is missing is mended by erasure codes in place of sending it again (default off)", fec_words},
    ParameterRow{"block", ParameterKind::count, 1, 240,
                 "with fec=on: packets of which repairs are made together (default 128)"}};

std::string nak_objection(const Parameters& set);
std::unique_ptr<Sender> make_nak_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_nak_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
