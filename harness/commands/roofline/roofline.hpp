#pragma once
/// \file
/// `nasvm roofline`: how far runs are from what the machine can do.

#include "harness/kernel_runs/executor.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/session/output.hpp"
#include "harness/commands/roofline/limits.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Measures the limits of the machine, then runs everything that the options ask for, and prints both. As `run`
/// otherwise.
Exit roofline(const RooflineOptions& options, const ExecutorFactory& make_executor, const LimitsProbe& probe,
              const Console& console);

}  // namespace nasvm
