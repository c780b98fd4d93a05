// What ipmcast sends, beyond what all promise (multicast/conformance_test.cpp).
#include "vm/multicast/ipmcast/ipmcast.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Kind = multicast::Packet::Kind;

namespace {

/// To which packets of data a path is closed for so many times.
SimulatedNetwork::Options losing_first(int times) {
  SimulatedNetwork::Options options;
  // All paths share the count: with one receiver it is that of its path.
  options.path.filter = [left = std::make_shared<int>(times)](std::span<const std::byte> datagram) {
    const auto packet = multicast::decode(datagram);
    return !packet || packet->kind != Kind::data || packet->sequence != 1 || (*left)-- <= 0;
  };
  return options;
}

}  // namespace

TEST_CASE("ipmcast multicasts each packet once, and each receiver acknowledges each", "[multicast]") {
  SimulatedNetwork network(multicast::parse_protocol("ipmcast"), 6, {});
  REQUIRE(network.broadcast(pattern(10'000)));
  CHECK(network.stats().multicasts == 10);
  CHECK(network.stats().unicasts == 10 * 6);
  CHECK(network.sender().counts().data_packets == 10);
  CHECK(network.sender().counts().control_packets == 0);
}

TEST_CASE("ipmcast multicasts a packet again as often as it may, and then sends it by unicast", "[multicast]") {
  const int losses = GENERATE(0, 1, 2, 3, 5);
  const int retries = GENERATE(0, 1, 3);
  CAPTURE(losses, retries);
  SimulatedNetwork network(multicast::parse_protocol("ipmcast:retries=" + std::to_string(retries)), 1,
                           losing_first(losses));
  REQUIRE(network.broadcast(pattern(5000)));
  CHECK(network.complaints().empty());
  CHECK(network.received(1).at(0).bytes == pattern(5000));
  // Nothing else is multicast but polls.
  const auto polls = network.sender().counts().control_packets;
  CHECK(network.stats().multicasts - polls == static_cast<std::size_t>(5 + std::min(losses, retries)));
  const auto unicasts = network.stats().unicasts - network.stats().to_sender;
  CHECK(unicasts == static_cast<std::size_t>(std::max(0, losses - retries)));
  CHECK(network.sender().counts().retransmitted == static_cast<std::uint64_t>(losses));
}
