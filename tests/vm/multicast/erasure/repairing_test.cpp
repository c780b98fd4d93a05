// What nak:fec=on sends, and that it gets over losses, beyond what all promise (multicast/conformance_test.cpp).
#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Kind = multicast::Packet::Kind;

namespace {

void check_all(const SimulatedNetwork& network, const std::vector<std::vector<std::byte>>& messages) {
  CHECK(network.complaints().empty());
  for (int node = 1; node <= network.receivers(); ++node) {
    const auto& received = network.received(node);
    REQUIRE(received.size() == messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
      REQUIRE(received[i].complete);
      REQUIRE(received[i].bytes == messages[i]);
    }
  }
}

}  // namespace

TEST_CASE("without losses erasure codes cost nothing: one acknowledgement for each block and receiver",
          "[multicast]") {
  SimulatedNetwork network(multicast::parse_protocol("nak:fec=on:block=10"), 5, {});
  REQUIRE(network.broadcast(pattern(40'000)));
  CHECK(network.stats().multicasts == 40);
  CHECK(network.stats().unicasts == 4 * 5);
  CHECK(network.sender().counts().retransmitted == 0);
  CHECK(network.sender().counts().control_packets == 0);
}

TEST_CASE("one repair mends different losses at different receivers", "[multicast]") {
  SimulatedNetwork::Options options;
  // Each receiver's path loses another one of the block's ten packets: one in ten, those that come first.
  int dropped = 0;
  options.path.filter = [&dropped, sent = 0](std::span<const std::byte> datagram) mutable {
    const auto packet = multicast::decode(datagram);
    if (!packet || packet->kind != Kind::data || dropped == 5 || ++sent % 11 != 0) return true;
    ++dropped;
    return false;
  };
  SimulatedNetwork network(multicast::parse_protocol("nak:fec=on:block=10"), 5, options);
  REQUIRE(network.broadcast(pattern(10'000)));
  check_all(network, {pattern(10'000)});
  CHECK(network.stats().of(Kind::data) == 10);
  CHECK(network.stats().of(Kind::repair) <= 2);
}

TEST_CASE("erasure codes bring every byte through losses, duplication and reordering", "[multicast]") {
  const int receivers = GENERATE(1, 7, 30);
  const double loss = GENERATE(0.01, 0.1, 0.3);
  const int block = GENERATE(1, 16, 240);
  SimulatedNetwork::Options options;
  options.path.loss = loss;
  options.path.duplication = 0.1;
  options.path.reordering = 0.2;
  options.shared_loss = loss / 2;
  options.refusals = receivers == 7 ? 0.3 : 0;
  const auto protocol = "nak:fec=on:window=300:block=" + std::to_string(block);
  CAPTURE(protocol, receivers, loss);
  SimulatedNetwork network(multicast::parse_protocol(protocol), receivers, options);
  const std::vector<std::vector<std::byte>> messages{pattern(1), pattern(50'500, 1), pattern(0), pattern(16'000, 2)};
  for (const auto& message : messages) REQUIRE(network.broadcast(message));
  check_all(network, messages);
}

TEST_CASE("a receiver that is lost in the middle of repairs does not stop the others", "[multicast]") {
  SimulatedNetwork::Options options;
  options.path.loss = 0.1;
  SimulatedNetwork network(multicast::parse_protocol("nak:fec=on:block=8:window=16"), 3, options);
  const auto message = pattern(100'000);
  network.sender().send(message, network.now());
  REQUIRE(network.run([&] { return network.stats().of(Kind::repair) >= 5; }, std::chrono::seconds(10)));
  network.stop(2);
  REQUIRE(network.run([&] { return network.sender().done(); }, std::chrono::seconds(10)));
  for (const int node : {1, 3}) CHECK(network.received(node).at(0).bytes == message);
}

TEST_CASE("erasure codes need fewer packets than sending again", "[multicast]") {
  SimulatedNetwork::Options options;
  options.path.loss = 0.05;
  const auto packets_of = [&](const char* protocol) {
    SimulatedNetwork network(multicast::parse_protocol(protocol), 30, options);
    REQUIRE(network.broadcast(pattern(300'000)));
    return network.sender().counts().data_packets;
  };
  CHECK(packets_of("nak:fec=on") < packets_of("nak"));
}
