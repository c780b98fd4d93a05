#pragma once
/// \file
/// Transport `direct`: the fsend/frecv of White, Ålund, Sunderam, Performance of the NAS Parallel Benchmarks on PVM
/// Based Networks, section 6.1. One TCP connection for each pair of tasks that talk, made on first use and
/// authenticated; no daemon, no packing: envelope and payload leave in one system call, and the payload lands in
/// the receive's buffer.

#include <memory>

#include "vm/transport/transport.hpp"

namespace nasvm {

std::unique_ptr<Transport> make_direct_transport(const TransportContext& context);

}  // namespace nasvm
