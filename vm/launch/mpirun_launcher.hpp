#pragma once
/// \file
/// Launcher `mpirun`: Open MPI's launcher (ORTE up to Open MPI 4, PRRTE from 5 on) starts one daemon on each host of
/// the hostfile, however it reaches them: over ssh, or by the batch system that it was built for. The programs are at
/// the same path on every host.

#include <memory>

#include "vm/launch/launcher.hpp"

namespace nasvm {

std::unique_ptr<Launcher> make_mpirun_launcher(const LauncherOptions& options);

}  // namespace nasvm
