#pragma once
/// \file
/// The tables of subcommands and of formats: adding one is a row here.

#include <span>
#include <vector>

#include "harness/command.hpp"
#include "harness/commands/exec/executor.hpp"
#include "harness/commands/hosts/surveyor.hpp"
#include "harness/commands/io/executor.hpp"
#include "harness/commands/mcast/executor.hpp"
#include "harness/commands/p2p/executor.hpp"
#include "harness/commands/peers/peer_run.hpp"
#include "harness/commands/regress/launcher.hpp"
#include "harness/commands/roofline/limits.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/kernel_runs/executor.hpp"
#include "harness/testbed/lab.hpp"

namespace nasvm {

/// Who carries out what commands ask for: one for each that needs a machine or measures it; stand-ins in tests.
struct Executors {
  ExecutorFactory run;
  P2pExecutorFactory p2p;
  McastExecutorFactory mcast;
  IoExecutorFactory io;
  Surveyor hosts;
  PeerLauncher peer = run_mpi_program;
  OverOursLauncher peer_over_ours = run_over_ours;
  BuildLauncher launch = launch_program;
  LimitsProbe limits = measure_limits;
  LabFactory lab = make_script_lab;
  ProgramExecutorFactory program = make_program_executor;
  ConditionsMeterFactory conditions{};  ///< of peers; those of tasks are known to who runs them
};

/// All subcommands, in the order of --help. One that holds its runs against something else stands behind `run`: its
/// documents have runs, too (view_of).
std::vector<CommandRow> commands(const Executors& executors);

/// All formats; the first is the default.
std::span<const Format> formats();

}  // namespace nasvm
