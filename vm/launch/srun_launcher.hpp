#pragma once
/// \file
/// Launcher `srun`: Slurm starts one daemon on each node of the job in which this program runs (salloc, sbatch). The
/// programs are at the same path on every node, as on a shared file system.

#include <memory>

#include "vm/launch/launcher.hpp"

namespace nasvm {

std::unique_ptr<Launcher> make_srun_launcher(const LauncherOptions& options);

}  // namespace nasvm
