#pragma once
/// \file
/// What each task of a run of `nasvm p2p --mixed` does.

#include "harness/commands/p2p/order.hpp"
#include "vm/comm.hpp"

namespace nasvm {

/// Measures all sizes of the order; rank 0's report has two records for each, without their transports. With fewer
/// cores than tasks, the last core has several.
P2pReport measure_mixed(const P2pOrder& order, Comm& comm);

}  // namespace nasvm
