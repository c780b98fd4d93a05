#pragma once
/// \file
/// Programs over transport `pvm`: a daemon of PVM's own, private to the run, and tasks that enroll in it.
///
/// PVM refuses root, so root's runs are those of another user: `pvm:user=NAME`, `nobody` unless it is given.

#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/system/processes.hpp"

namespace nasvm {

/// Throws UsageError when PVM is not installed or a host is not this one. Starting throws UsageError when PVM cannot
/// run as the user that was asked for, or that user may not execute the program.
SystemStarter pvm_starter(std::vector<HostSpec> hosts);

}  // namespace nasvm
