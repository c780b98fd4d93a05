#pragma once
/// \file
/// What each task of a run of `nasvm p2p --collective` does.

#include "harness/commands/p2p/order.hpp"
#include "vm/comm.hpp"

namespace nasvm {

/// Measures every collective of the order at all its sizes. Rank 0's report has the records, every task's its own
/// complaints.
P2pReport measure_collectives(const P2pOrder& order, Comm& comm);

}  // namespace nasvm
