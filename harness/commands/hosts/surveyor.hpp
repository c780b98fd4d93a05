#pragma once
/// \file
/// Who surveys a virtual machine: the machine itself, or a stand-in for tests.

#include <functional>

#include "harness/commands/hosts/options.hpp"
#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

/// Starts the machine, asks its daemons and tasks, and ends it. Throws UsageError and RunError.
using Surveyor = std::function<Survey(const HostsOptions&)>;

/// The one over the virtual machine.
Survey survey_machine(const HostsOptions& options);

}  // namespace nasvm
