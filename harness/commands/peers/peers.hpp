#pragma once
/// \file
/// `nasvm peers`: our kernels beside other programs of the same work, interleaved, in one table.

#include "harness/kernel_runs/executor.hpp"
#include "harness/session/output.hpp"
#include "harness/commands/peers/options.hpp"
#include "harness/commands/peers/peer_run.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Runs everything that the options ask for and prints the results. A peer that gives no result at some size is noted
/// once, not run there again, and the rest goes on; the status is Exit::broken then. Exit::failed when a verification
/// failed. Throws UsageError and RunError, the latter after what had been measured until then is printed.
Exit peers(const PeersOptions& options, const ExecutorFactory& make_executor, const PeerLauncher& launch,
           const Console& console);

}  // namespace nasvm
