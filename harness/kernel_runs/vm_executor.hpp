#pragma once
/// \file
/// Runs kernels on the virtual machine: hosts with a daemon each, tasks started by the daemons.

#include <memory>

#include "harness/kernel_runs/executor.hpp"

namespace nasvm {

/// Starts the daemons of the machine that the options describe; they end with the executor. Throws UsageError
/// (hostfile, transports) and RunError (a host cannot be reached).
std::unique_ptr<Executor> make_vm_executor(const RunOptions& options);

}  // namespace nasvm
