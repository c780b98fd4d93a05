#include "harness/commands/p2p/plan.hpp"

#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/session/plan.hpp"
#include "harness/text.hpp"

namespace nasvm {

std::vector<CoupledScenario> scenarios_of(const P2pOptions& options) {
  return coupled_scenarios(options.paths.at(0), options.paths.at(1), options.skips, !options.between_hosts);
}

std::vector<P2pSpec> make_p2p_plan(const P2pOptions& options) {
  std::vector<P2pSpec> round;
  if (options.kind == P2pKind::mixed) {
    const std::string both = joined(options.paths, " and ");
    for (const int skip_poll : options.skips) round.push_back({both, false, 0, skip_poll});
  } else if (options.kind == P2pKind::coupled) {
    for (const CoupledScenario& scenario : scenarios_of(options)) round.push_back({scenario.name, false, 0, 0});
  } else {
    for (const std::string& path : options.paths) round.push_back({path, find_yardstick(path) != nullptr, 0, 0});
  }
  std::vector<P2pSpec> plan;
  append_rounds(plan, round, options.runs, [](P2pSpec& spec, int repeat) { spec.repeat = repeat; });
  return plan;
}

}  // namespace nasvm
