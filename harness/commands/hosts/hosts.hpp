#pragma once
/// \file
/// `nasvm hosts`: the virtual machine, its hosts, and the transport of each pair of tasks with the reasons.

#include "harness/commands/hosts/surveyor.hpp"
#include "harness/session/output.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Surveys a machine and prints the result. Throws UsageError and RunError.
Exit hosts(const HostsOptions& options, const Surveyor& surveyor, const Console& console);

}  // namespace nasvm
