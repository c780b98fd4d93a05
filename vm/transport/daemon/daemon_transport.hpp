#pragma once
/// \file
/// Transport `daemon`: store and forward. A packet goes to the task's own daemon (Unix stream socket), from it to
/// the daemon of the receiver's host (acknowledged UDP datagrams) unless that is the same, and from it to the
/// receiver. Needs no connection between tasks; every packet is copied by each process on its way.
/// Source: White, Ålund, Sunderam, Performance of the NAS Parallel Benchmarks on PVM Based Networks, section 6
/// ("a three-stage process by default"); Dunigan and Hall, PVM and IP Multicast, section 3.1.1.

#include <array>
#include <memory>

#include "vm/transport/transport.hpp"

namespace nasvm {

/// Of the task, not of its Comm: what Task::send keeps.
inline constexpr ParameterRow buffer_parameter{
    "buffer", ParameterKind::bytes, 0, std::uint64_t{1} << 40,
    "packed messages (Task::send) that a task keeps for receivers; beyond it send blocks (default 64M)"};
inline constexpr std::uint64_t default_buffer_bytes = std::uint64_t{64} << 20;

inline constexpr std::array daemon_parameters{
    spin_parameter,
    eager_parameter,
    skip_poll_parameter,
    ParameterRow{"packet", ParameterKind::bytes, 1024, 256 * 1024,
                 "longest payload that a daemon stores and forwards at once (default 256k)"},
    ParameterRow{"sndbuf", ParameterKind::bytes, 4096, 1U << 30,
                 "send buffer of the task's socket to its daemon (default 1M)"},
    buffer_parameter,
};

std::unique_ptr<Transport> make_daemon_transport(const TransportContext& context);

}  // namespace nasvm
