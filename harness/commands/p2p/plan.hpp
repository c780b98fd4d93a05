#pragma once
/// \file
/// What `nasvm p2p` runs, in which order: every run measures all sizes over one path; paths take turns in the order A
/// B C, C B A, A B C, ... so that drift of the machine hits transports and yardsticks alike. Of mixed transports,
/// which share every run, the values of skip_poll take turns so.

#include <string>
#include <vector>

#include "harness/commands/p2p/coupled/scenario.hpp"
#include "harness/commands/p2p/options.hpp"

namespace nasvm {

/// One run: tasks that are started once, one path, all sizes.
struct P2pSpec {
  std::string path;  ///< as the user named it: transports, or a yardstick; of the coupled model a scenario
  bool yardstick = false;
  int repeat = 0;
  int skip_poll = 0;  ///< of mixed transports; 0: adaptive
};

/// Of the coupled model that was asked for.
std::vector<CoupledScenario> scenarios_of(const P2pOptions& options);

std::vector<P2pSpec> make_p2p_plan(const P2pOptions& options);

}  // namespace nasvm
