// What the tree sends, and how it gets over lost nodes, beyond what all promise (multicast/conformance_test.cpp).
#include "vm/multicast/tree/tree.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"
#include "vm/multicast/tree/shape.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

int levels_below(const multicast::tree::Shape& shape, multicast::Node node) {
  int levels = 0;
  for (const auto child : shape.children(node)) levels = std::max(levels, 1 + levels_below(shape, child));
  return levels;
}

/// Has every receiver but `lost` the message of that number?
bool all_have(const SimulatedNetwork& network, int lost, std::size_t number, const std::vector<std::byte>& message) {
  for (int node = 1; node <= network.receivers(); ++node) {
    const auto& received = network.received(node);
    if (node == lost) continue;
    if (received.size() <= number || !received[number].complete || received[number].bytes != message) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the tree sends each piece once to each receiver, which acknowledges once for its branch", "[multicast]") {
  const int arity = GENERATE(0, 1, 2, 5);
  const int receivers = GENERATE(1, 4, 30);
  CAPTURE(arity, receivers);
  const multicast::tree::Shape shape(receivers, arity);
  SimulatedNetwork network(multicast::parse_protocol("tree:arity=" + std::to_string(arity)), receivers, {});
  REQUIRE(network.broadcast(pattern(2500)));
  CHECK(network.stats().unicasts == static_cast<std::size_t>(3 * receivers + receivers));
  CHECK(network.stats().multicasts == 0);
  CHECK(network.sender().counts().data_packets == 3 * shape.children(0).size());
  CHECK(network.sender().counts().retransmitted == 0);
  CHECK(network.sender().counts().control_packets == 0);
  // Down and up again.
  CHECK(network.now() - multicast::TimePoint{} == 2 * levels_below(shape, 0) * LossyLink::Options{}.delay);
}

TEST_CASE("the tree is acknowledged four times in a window", "[multicast]") {
  SimulatedNetwork network(multicast::parse_protocol("tree:window=32"), 7, {});
  REQUIRE(network.broadcast(pattern(100'000)));  // after pieces 8, 16, ... 96, and 100
  CHECK(network.stats().unicasts == (100 + 13) * 7);
}

TEST_CASE("a node of the tree that stands still holds the sender at the window", "[multicast]") {
  const int window = GENERATE(1, 5, 16);
  SimulatedNetwork::Options options;
  options.notice = std::chrono::hours(2);
  SimulatedNetwork network(multicast::parse_protocol("tree:arity=1:window=" + std::to_string(window)), 4, options);
  network.stop(3);
  CHECK_FALSE(network.broadcast(pattern(100'000)));
  CHECK(network.sender().counts().data_packets == static_cast<std::size_t>(window));
}

TEST_CASE("whichever node of the tree is lost, and whenever, the others have everything when it is done",
          "[multicast]") {
  const int arity = GENERATE(0, 1, 2);
  const int lost = GENERATE(range(1, 8));
  const auto first = pattern(12'000, 1);
  const auto second = pattern(3000, 2);
  std::size_t packets = 0;
  bool in_mid_course = true;
  for (; in_mid_course; packets += 3) {
    CAPTURE(arity, lost, packets);
    SimulatedNetwork network(multicast::parse_protocol("tree:window=5:arity=" + std::to_string(arity)), 7,
                             {.notice = std::chrono::microseconds(170)});
    network.sender().send(first, network.now());
    const auto have_left = [&] { return network.stats().unicasts >= packets || network.sender().done(); };
    REQUIRE(network.run(have_left, std::chrono::hours(1)));
    in_mid_course = !network.sender().done();
    network.stop(lost);
    REQUIRE(network.run([&] { return network.sender().done(); }, std::chrono::hours(1)));
    REQUIRE(all_have(network, lost, 0, first));
    REQUIRE(network.broadcast(second));
    REQUIRE(all_have(network, lost, 1, second));
    REQUIRE(network.complaints().empty());
  }
  CHECK(packets > 7 * 12);
}

TEST_CASE("the children of a lost node get from its parent what they lack, and no more", "[multicast]") {
  // A chain: 0 - 1 - 2 - 3. Node 2 stops before it passes anything of the second message on.
  SimulatedNetwork network(multicast::parse_protocol("tree:arity=1:window=64"), 3, {});
  REQUIRE(network.broadcast(pattern(20'000)));
  const std::size_t so_far = network.stats().unicasts;
  network.sender().send(pattern(10'000), network.now());
  REQUIRE(network.run([&] { return network.stats().unicasts == so_far + 20; }, std::chrono::seconds(1)));
  network.stop(2);
  REQUIRE(network.run([&] { return network.sender().done(); }, std::chrono::seconds(1)));
  // Ten from the sender, ten from node 1 to node 2 and, later, to node 3; node 3 tells its new parent where it is,
  // and both acknowledge the end.
  CHECK(network.stats().unicasts == so_far + 30 + 3);
  CHECK(network.complaints().empty());
}
