#include "harness/commands/p2p/coupled/scenario.hpp"

#include <fmt/format.h>

namespace nasvm {
namespace {

/// The daemons receive for all tasks of their hosts and hand on by their tasks' sockets.
constexpr std::string_view forwarder = "daemon";

std::string with_skip(const std::string& order, int skip_poll) {
  return fmt::format("{}:skip_poll={}", order, skip_poll);
}

}  // namespace

std::vector<CoupledScenario> coupled_scenarios(const std::string& cheap, const std::string& expensive,
                                               std::span<const int> skips, bool one_host) {
  std::vector<CoupledScenario> scenarios;
  if (one_host) scenarios.push_back({cheap + " alone", cheap, cheap});
  scenarios.push_back({expensive + " alone", expensive, expensive});
  const std::string both = cheap + "+" + expensive;
  scenarios.push_back({both + ", by hand", cheap, expensive, true});
  if (expensive != forwarder) {
    scenarios.push_back({fmt::format("{}+{}, forwarder", cheap, forwarder), cheap, std::string(forwarder)});
  }
  for (const int skip_poll : skips) {
    const std::string name = skip_poll == 0 ? both + ", adaptive" : fmt::format("{}, skip_poll {}", both, skip_poll);
    scenarios.push_back({name, with_skip(cheap, skip_poll), with_skip(expensive, skip_poll)});
  }
  return scenarios;
}

}  // namespace nasvm
