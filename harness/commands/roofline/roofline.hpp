#pragma once
/// \file
/// `nasvm roofline`: how far runs are from what the machine can do. Its limits are measured first.

#include "harness/command.hpp"
#include "harness/commands/roofline/limits.hpp"
#include "harness/kernel_runs/executor.hpp"

namespace nasvm {

CommandRow roofline_command(ExecutorFactory make_executor, LimitsProbe probe);

}  // namespace nasvm
