#include "harness/commands/p2p/plan.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("p2p plan: transports and yardsticks take turns, A B C, C B A") {
  P2pOptions options;
  options.paths = {"daemon", "direct", "raw-tcp"};
  options.runs = 3;
  std::vector<std::string> order;
  for (const P2pSpec& spec : make_p2p_plan(options)) order.push_back(spec.path + " " + std::to_string(spec.repeat));
  CHECK(order == std::vector<std::string>{"daemon 0", "direct 0", "raw-tcp 0", "raw-tcp 1", "direct 1", "daemon 1",
                                          "daemon 2", "direct 2", "raw-tcp 2"});
}

TEST_CASE("p2p plan: knows yardsticks from transports") {
  P2pOptions options;
  options.paths = {"direct", "raw-unix"};
  const std::vector<P2pSpec> plan = make_p2p_plan(options);
  CHECK_FALSE(plan.at(0).yardstick);
  CHECK(plan.at(1).yardstick);
}

TEST_CASE("p2p plan: mixed transports share every run, and the values of skip_poll take turns") {
  P2pOptions options;
  options.kind = P2pKind::mixed;
  options.paths = {"shm", "direct"};
  options.skips = {0, 1, 16};
  options.runs = 2;
  std::vector<std::string> order;
  for (const P2pSpec& spec : make_p2p_plan(options)) {
    CHECK(spec.path == "shm and direct");
    order.push_back(std::to_string(spec.skip_poll) + " " + std::to_string(spec.repeat));
  }
  CHECK(order == std::vector<std::string>{"0 0", "1 0", "16 0", "16 1", "1 1", "0 1"});
}
