#pragma once
/// \file
/// Who measures shared files between tasks.

#include "harness/commands/io/options.hpp"
#include "harness/commands/io/order.hpp"
#include "harness/commands/io/plan.hpp"
#include "harness/session/executor.hpp"

namespace nasvm {

/// Carries out one run: times of task 0, costs of all; what was wrong anywhere.
using IoExecutor = ExecutorOf<IoSpec, IoReport>;
using IoExecutorFactory = ExecutorFactoryOf<IoExecutor, IoOptions>;

/// The one over the virtual machine.
std::unique_ptr<IoExecutor> make_vm_io_executor(const IoOptions& options);

}  // namespace nasvm
