#pragma once
/// \file
/// Who measures between tasks.

#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/plan.hpp"
#include "harness/session/executor.hpp"

namespace nasvm {

/// Measures all sizes: one record for each size that the path carries, complete but for `transport` and `repeat`. Of
/// data that arrived wrong speak `data` of the records, and the complaints.
using P2pExecutor = ExecutorOf<P2pSpec, P2pReport>;
using P2pExecutorFactory = ExecutorFactoryOf<P2pExecutor, P2pOptions>;

/// The one over the virtual machine.
std::unique_ptr<P2pExecutor> make_vm_p2p_executor(const P2pOptions& options);

}  // namespace nasvm
