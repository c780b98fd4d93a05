#pragma once
/// \file
/// What `nasvm peers` runs, in which order: class by class, number of tasks by number of tasks, kernel by kernel;
/// there first the warm-ups, then the repeats, ours and the peer's ways in the order A B C, C B A, A B C, ...

#include <vector>

#include "harness/commands/peers/options.hpp"
#include "harness/commands/peers/record.hpp"
#include "harness/kernel_runs/plan.hpp"

namespace nasvm {

/// One run: of our kernel, or of the peer's program of the same kernel, class and number of tasks.
struct PeerStep : RunSpec {  ///< of a peer without a transport, unless it runs over ours
  std::string program;       ///< the peer's file; empty: ours
  PeerWay way = PeerWay::as_built;

  [[nodiscard]] bool is_peer() const { return !program.empty(); }
};

/// Our runs that the options ask for, as of `nasvm run`.
RunOptions own_options(const PeersOptions& options);

/// All steps that the options ask for, in their order. Throws UsageError when the programs of peers are missing.
std::vector<PeerStep> make_peers_plan(const PeersOptions& options);

/// The steps of ours among them.
std::vector<RunSpec> own_runs(const std::vector<PeerStep>& plan);

}  // namespace nasvm
