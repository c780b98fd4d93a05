#pragma once
/// \file
/// Transport `direct`: the fsend/frecv of White, Ålund, Sunderam, Performance of the NAS Parallel Benchmarks on PVM
/// Based Networks, section 6.1. One TCP connection for each pair of tasks that talk, made on first use and
/// authenticated; no daemon, no packing: envelope and payload leave in one system call, and the payload lands in
/// the receive's buffer.

#include <array>
#include <memory>

#include "vm/net/redial.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm {

/// What controls TCP's congestion between tasks on one host: the system's default method, or the simplest.
inline constexpr std::array<std::string_view, 2> direct_congestion{"system", "reno"};

inline constexpr std::array direct_parameters{
    spin_parameter,
    eager_parameter,
    skip_poll_parameter,
    ParameterRow{"sndbuf", ParameterKind::bytes, 4096, 1U << 30,
                 "send buffer of each socket (default 384k within one host, else the system tunes it)"},
    // Less than a segment within one host (64 KiB; the system doubles what is asked for) makes TCP wait for its
    // timers.
    ParameterRow{"rcvbuf", ParameterKind::bytes, 32768, 1U << 30,
                 "receive buffer of each socket (default: the system tunes it)"},
    ParameterRow{
        "congestion", ParameterKind::word, 0, direct_congestion.size() - 1,
        "TCP's congestion control between tasks on one host: reno (default), or system: the system's default",
        direct_congestion},
};

std::unique_ptr<Transport> make_direct_transport(const TransportContext& context);
/// `redial`: how often, and how long, it is tried to connect to a peer.
std::unique_ptr<Transport> make_direct_transport(const TransportContext& context, const net::Redial::Options& redial);

}  // namespace nasvm
