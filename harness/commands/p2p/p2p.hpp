#pragma once
/// \file
/// `nasvm p2p`: latency and bandwidth between two tasks, collectives among several, two transports at once.

#include "harness/command.hpp"
#include "harness/commands/p2p/executor.hpp"

namespace nasvm {

/// Throws RunError when a collective needs more memory than that on the one host that it runs on.
void check_memory(const P2pOptions& options, std::uint64_t available_bytes);

CommandRow p2p_command(P2pExecutorFactory make_executor);

}  // namespace nasvm
