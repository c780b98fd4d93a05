#include "harness/commands/p2p/coupled/scenario.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

std::vector<std::string> names_of_all(const std::vector<CoupledScenario>& scenarios) {
  std::vector<std::string> names;
  for (const CoupledScenario& scenario : scenarios) names.push_back(scenario.name);
  return names;
}

const std::vector<int> skips{0, 20};

}  // namespace

TEST_CASE("coupled scenarios: the rows of the paper's Table 3") {
  const auto scenarios = coupled_scenarios("shm", "direct", skips, true);
  CHECK(names_of_all(scenarios) == std::vector<std::string>{"shm alone", "direct alone", "shm+direct, by hand",
                                                            "shm+daemon, forwarder", "shm+direct, adaptive",
                                                            "shm+direct, skip_poll 20"});
  CHECK(scenarios[0] == CoupledScenario{"shm alone", "shm", "shm"});
  CHECK(scenarios[2] == CoupledScenario{"shm+direct, by hand", "shm", "direct", true});
  CHECK(scenarios[3] == CoupledScenario{"shm+daemon, forwarder", "shm", "daemon"});
  CHECK(scenarios[5] == CoupledScenario{"shm+direct, skip_poll 20", "shm:skip_poll=20", "direct:skip_poll=20"});
}

TEST_CASE("coupled scenarios: between hosts memory alone does not reach everybody") {
  CHECK(names_of_all(coupled_scenarios("shm", "direct", skips, false)).front() == "direct alone");
}

TEST_CASE("coupled scenarios: the daemon is no forwarder of itself") {
  for (const std::string& name : names_of_all(coupled_scenarios("shm", "daemon", skips, true))) {
    CHECK(name.find("forwarder") == std::string::npos);
  }
}
