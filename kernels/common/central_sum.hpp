#pragma once
/// \file
/// A sum over all tasks that is formed at rank 0 and sent back: how the ports of the 1990s emulated a global sum.
/// 2 (P - 1) messages of 8 bytes, one after the other at rank 0. Comm::allreduce takes fewer rounds; variants that
/// reproduce a paper need this one. Source: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on
/// PVM-Based Networks, section 4.3.

#include "vm/collective/costs.hpp"
#include "vm/comm.hpp"

namespace nasvm {

/// The sum of everybody's `own`, the same bits on every task: it is formed in the order of ranks. Collective, blocks
/// until the sum has come.
[[nodiscard]] double central_sum(Comm& comm, double own);

/// What one such sum costs on `tasks` >= 1 tasks.
[[nodiscard]] collective::Cost central_sum_cost(int tasks);

}  // namespace nasvm
