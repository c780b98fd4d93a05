#pragma once
/// \file
/// Runs a peer's program once and makes a record of what it says.

#include <chrono>
#include <functional>
#include <string>

#include "harness/commands/peers/plan.hpp"
#include "harness/commands/peers/record.hpp"
#include "vm/system/mpi/mpi_program.hpp"

namespace nasvm {

/// Who runs the program of a peer: mpirun (run_mpi_program), or a stand-in for tests.
using PeerLauncher = std::function<MpiProgramResult(const MpiProgram& program, std::chrono::milliseconds timeout)>;

/// Who runs it over one of our transports: `nasvm exec` (run_over_ours), or a stand-in.
using OverOursLauncher = std::function<MpiProgramResult(const MpiProgram& program, const std::string& transport,
                                                        std::chrono::milliseconds timeout)>;
MpiProgramResult run_over_ours(const MpiProgram& program, const std::string& transport,
                               std::chrono::milliseconds timeout);

struct PeerLaunchers {
  PeerLauncher mpi;
  OverOursLauncher over_ours;
};

/// The record of one run of a peer; why there is no result stands in it, and is not an error. Blocks. Throws what the
/// launcher throws.
PeerRecord run_peer(const PeerLaunchers& launch, const PeerStep& step, std::chrono::milliseconds timeout);

}  // namespace nasvm
