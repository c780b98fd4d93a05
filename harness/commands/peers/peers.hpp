#pragma once
/// \file
/// `nasvm peers`: our kernels beside other programs of the same work, interleaved, in one table.

#include "harness/command.hpp"
#include "harness/commands/peers/peer_run.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/kernel_runs/executor.hpp"

namespace nasvm {

/// A peer that gives no result at some size is noted once, not run there again, and the rest goes on; the status is
/// Exit::broken then. Exit::failed when a verification failed.
CommandRow peers_command(ExecutorFactory make_executor, PeerLaunchers launch, ConditionsMeterFactory make_meter = {});

}  // namespace nasvm
