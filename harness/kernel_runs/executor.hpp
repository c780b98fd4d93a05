#pragma once
/// \file
/// Who runs a kernel.

#include "harness/kernel_runs/options.hpp"
#include "harness/kernel_runs/plan.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/session/executor.hpp"

namespace nasvm {

/// Fills `verified`, `time_s` (the slowest task's), `details` and `comm` (with `by_rank` and `by_method`; `add_up`
/// makes the totals); the caller fills the rest.
using Executor = ExecutorOf<RunSpec, RunRecord>;
using ExecutorFactory = ExecutorFactoryOf<Executor, RunOptions>;

}  // namespace nasvm
