#pragma once
/// \file
/// Programs over transport `mpi`: Open MPI's mpirun starts the tasks.

#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/system/processes.hpp"

namespace nasvm {

/// Hosts that are this one become one for mpirun; it reaches the others by ssh, in its own way, without `rsh`. Throws
/// UsageError when mpirun is not installed.
SystemStarter mpi_starter(std::vector<HostSpec> hosts, const std::string& rsh);

}  // namespace nasvm
