#pragma once
/// \file
/// `nasvm info`: version, build, machine, dependencies, and what there is to run.

#include "harness/kernel_runs/options.hpp"
#include "harness/session/output.hpp"
#include "vm/status.hpp"

namespace nasvm {

Exit info(const InfoOptions& options, const Console& console);

}  // namespace nasvm
