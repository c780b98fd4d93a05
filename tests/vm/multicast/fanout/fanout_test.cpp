// What fanout sends, beyond what all protocols promise (multicast/conformance_test.cpp).
#include "vm/multicast/fanout/fanout.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("fanout sends each piece once to each receiver, and nothing else", "[multicast]") {
  const int receivers = GENERATE(1, 4);
  SimulatedNetwork network(multicast::parse_protocol("fanout"), receivers, {});
  REQUIRE(network.broadcast(pattern(2500)));
  const auto copies = static_cast<std::size_t>(3 * receivers);
  CHECK(network.stats().unicasts == copies);
  CHECK(network.stats().multicasts == 0);
  CHECK(network.sender().counts().data_packets == copies);
  CHECK(network.sender().counts().control_packets == 0);
  CHECK(network.now() - multicast::TimePoint{} == LossyLink::Options{}.delay);  // one step
}
