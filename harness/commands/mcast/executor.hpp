#pragma once
/// \file
/// Who measures multicast between tasks.

#include "harness/commands/mcast/options.hpp"
#include "harness/commands/mcast/order.hpp"
#include "harness/commands/mcast/plan.hpp"
#include "harness/session/executor.hpp"

namespace nasvm {

/// Measures all sizes: one record for each, complete but for what the spec says (protocol, parameters, kind, repeat).
/// Of data that arrived wrong speak `data` of the records, and the complaints.
using McastExecutor = ExecutorOf<McastSpec, McastReport>;
using McastExecutorFactory = ExecutorFactoryOf<McastExecutor, McastOptions>;

/// The one over the virtual machine.
std::unique_ptr<McastExecutor> make_vm_mcast_executor(const McastOptions& options);

}  // namespace nasvm
