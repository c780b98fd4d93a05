#pragma once
/// \file
/// `nasvm run`: kernels over transports, and what each cost.

#include "harness/command.hpp"
#include "harness/kernel_runs/executor.hpp"

namespace nasvm {

CommandRow run_command(ExecutorFactory make_executor);

}  // namespace nasvm
