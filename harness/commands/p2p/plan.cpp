#include "harness/commands/p2p/plan.hpp"

#include <algorithm>

#include "harness/commands/p2p/yardstick.hpp"
#include "harness/text.hpp"

namespace nasvm {

std::vector<P2pSpec> make_p2p_plan(const P2pOptions& options) {
  std::vector<P2pSpec> round;
  if (options.kind == P2pKind::mixed) {
    const std::string both = joined(options.paths, " and ");
    for (const int skip_poll : options.skips) round.push_back({both, false, 0, skip_poll});
  } else {
    for (const std::string& path : options.paths) round.push_back({path, find_yardstick(path) != nullptr, 0, 0});
  }
  std::vector<P2pSpec> plan;
  for (int repeat = 0; repeat < options.runs; ++repeat) {
    for (P2pSpec& spec : round) spec.repeat = repeat;
    plan.insert(plan.end(), round.begin(), round.end());
    std::reverse(round.begin(), round.end());
  }
  return plan;
}

}  // namespace nasvm
