#pragma once
/// \file
/// `nasvm run`: plan, runs, exports, results.

#include "harness/kernel_runs/executor.hpp"
#include "harness/session/output.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Runs everything that the options ask for and prints the results. Exports are opened before the executor is made
/// and rewritten after every run. Exit::failed when a verification failed (the other runs still go on); throws
/// UsageError and RunError, the latter after what had been measured until then is printed.
Exit run(const RunOptions& options, const ExecutorFactory& make_executor, const Console& console);

}  // namespace nasvm
