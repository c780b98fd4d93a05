// What lineartree sends, beyond what all protocols promise (multicast/conformance_test.cpp).
#include "vm/multicast/lineartree/lineartree.hpp"

#include <catch2/catch.hpp>

#include "support/calm_counts.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("lineartree: the sender hears one acknowledgement of each packet from each column", "[multicast]") {
  const CalmCounts counts = calm_counts("lineartree:height=6:coalesce=1", 30, 20);
  CHECK(counts.multicasts == 20);
  CHECK(counts.to_sender == 20 * 5);
  CHECK(counts.acknowledgements == 20 * 30);
  CHECK(counts.others == 0);
  CHECK(counts.time == (1 + 6) * LossyLink::Options{}.delay);
  CHECK(calm_counts("lineartree:height=30:coalesce=1", 30, 20).to_sender == 20);
}

TEST_CASE("lineartree: one acknowledgement stands for several packets", "[multicast]") {
  const CalmCounts counts = calm_counts("lineartree:height=6:coalesce=10", 30, 51);
  CHECK(counts.acknowledgements == 6 * 30);
  CHECK(counts.to_sender == 6 * 5);
  CHECK(calm_counts("lineartree:height=6:coalesce=100:window=2", 30, 50).others == 0);
  CHECK(calm_counts("lineartree:height=6", 30, 50).acknowledgements == 210);  // 7 of each
}

TEST_CASE("lineartree: where words along the columns get lost, receivers speak for themselves", "[multicast]") {
  SimulatedNetwork network(multicast::parse_protocol("lineartree:height=3"), 3, {});
  // Nothing that the last one says to the one before it arrives, however often it is asked.
  network.lose(3, 2, [](std::span<const std::byte>) { return false; });
  const auto message = pattern(30'000);
  for (int i = 0; i < 3; ++i) REQUIRE(network.broadcast(message, std::chrono::seconds(1)));
  CHECK(network.complaints().empty());
  CHECK(network.received(3)[2].bytes == message);
}

TEST_CASE("lineartree: receivers that speak for themselves are awaited, lost ones are not", "[multicast]") {
  SimulatedNetwork network(multicast::parse_protocol("lineartree:height=4"), 4, {});
  network.lose(3, 2, [](std::span<const std::byte>) { return false; });
  network.lose(4, 3, [](std::span<const std::byte>) { return false; });
  REQUIRE(network.broadcast(pattern(30'000), std::chrono::seconds(1)));
  network.stop(4);
  CHECK_FALSE(network.broadcast(pattern(30'000), std::chrono::milliseconds(400)));
  CHECK(network.run([&] { return network.sender().done(); }, std::chrono::seconds(2)));
  REQUIRE(network.broadcast(pattern(30'000), std::chrono::seconds(1)));
}

TEST_CASE("lineartree: with height 1 it is ack, packet for packet", "[multicast]") {
  const int receivers = GENERATE(1, 2, 7, 30);
  const auto* coalesce = GENERATE("", ":coalesce=7");
  CHECK(calm_counts(std::string("lineartree:height=1") + coalesce, receivers, 40) ==
        calm_counts(std::string("ack") + coalesce, receivers, 40));
}

TEST_CASE("lineartree: a column closes over receivers that are lost", "[multicast]") {
  const std::vector<int> lost = GENERATE(std::vector<int>{1}, std::vector<int>{2}, std::vector<int>{4},
                                         std::vector<int>{1, 2, 3}, std::vector<int>{2, 3});
  const double loss = GENERATE(0.0, 0.1);
  CAPTURE(lost, loss);
  SimulatedNetwork::Options options;
  options.path.loss = loss;
  SimulatedNetwork network(multicast::parse_protocol("lineartree:height=4"), 4, options);
  for (const int node : lost) network.stop(node);
  const auto message = pattern(30'000);
  REQUIRE(network.broadcast(message));
  REQUIRE(network.broadcast(message));
  for (int node = 1; node <= 4; ++node) {
    if (std::ranges::find(lost, node) != lost.end()) continue;
    REQUIRE(network.received(node).size() == 2);
    CHECK(network.received(node)[1].bytes == message);
  }
}

TEST_CASE("lineartree: who is in the middle says nothing before those behind it have everything", "[multicast]") {
  SimulatedNetwork::Options options;
  options.notice = std::chrono::seconds(2);
  SimulatedNetwork network(multicast::parse_protocol("lineartree:height=3"), 3, options);
  network.stop(3);
  // Not done as long as nobody knows that the last one is gone, though the first two have it all.
  CHECK_FALSE(network.broadcast(pattern(3000), std::chrono::seconds(1)));
  CHECK(network.received(1).at(0).complete);
  CHECK(network.run([&] { return network.sender().done(); }, std::chrono::seconds(2)));
}
