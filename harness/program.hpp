#pragma once
/// \file
/// The program `nasvm` without its process: command line in, exit status out.

#include <span>
#include <string>

#include "harness/kernel_runs/executor.hpp"
#include "harness/commands/hosts/surveyor.hpp"
#include "harness/session/output.hpp"
#include "harness/commands/p2p/executor.hpp"
#include "harness/commands/peers/peer_run.hpp"
#include "harness/commands/roofline/limits.hpp"

namespace nasvm {

/// Who carries out what commands ask for: one for each command that needs a machine or measures it.
struct Executors {
  ExecutorFactory run;
  P2pExecutorFactory p2p;
  Surveyor hosts;
  PeerLauncher peer = run_mpi_program;
  LimitsProbe limits = measure_limits;
};

/// Does what the command line says; `arguments[0]` is the program's name. Every error becomes one line on
/// `console.err` and its exit status (contract, "Exit status"); nothing is thrown.
int program(std::span<const std::string> arguments, const Executors& executors, const Console& console);

}  // namespace nasvm
