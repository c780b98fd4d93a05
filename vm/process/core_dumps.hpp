#pragma once
/// \file
/// Core dumps, and the machine's secret in them (docs/decisions/core-dumps.md).

namespace nasvm::process {

/// From now on this process, and those that it starts, leave no core dump, unless NASVM_CORE_DUMPS is set in the
/// environment. The hard limit stays: a program may allow itself dumps again.
void forbid_core_dumps();

}  // namespace nasvm::process
