#pragma once
/// \file
/// Programs over transport `pvm`: a virtual machine of PVM's own, private to the run, and tasks that enroll in it.
/// Its first daemon is on this computer, also where no task is.
///
/// PVM refuses root, so root's runs are those of another user: `pvm:user=NAME`, `nobody` unless it is given.

#include <string>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/system/processes.hpp"

namespace nasvm {

/// Other computers are reached by the remote shell `rsh` (vm/launch/remote_shell.hpp). Throws UsageError when PVM or
/// that shell is not installed here. Starting throws UsageError when PVM cannot run here as the user that was asked
/// for, that user may not execute the program, or PVM cannot reach a host.
SystemStarter pvm_starter(std::vector<HostSpec> hosts, const std::string& rsh);

}  // namespace nasvm
