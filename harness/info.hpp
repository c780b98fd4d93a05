#pragma once
/// \file
/// `nasvm info`: version, build, machine, dependencies, and what there is to run.

#include "harness/options.hpp"
#include "harness/output.hpp"
#include "vm/status.hpp"

namespace nasvm {

Exit info(const InfoOptions& options, const Console& console);

}  // namespace nasvm
