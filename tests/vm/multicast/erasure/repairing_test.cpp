// What nak:fec=on sends, and that it gets over losses, beyond what all promise (multicast/conformance_test.cpp).
#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/received.hpp"
#include "support/simulated_network.hpp"
#include "vm/multicast/window/feedback.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Kind = multicast::Packet::Kind;

namespace {

/// Keeps a receiver's last word, and takes all that it hands over.
struct Surface final : multicast::Network, multicast::Inbox {
  void send(multicast::Node /*to*/, const multicast::Packet& packet) override {
    said = multicast::feedback_of(packet);
  }
  void send_to_all(const multicast::Packet& /*packet*/) override {}
  bool take(const multicast::Packet& /*data*/) override { return true; }
  void complete(std::uint32_t /*message*/) override {}

  multicast::Feedback said;
};

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
  check_received(network, {pattern(10'000)});
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
  check_received(network, messages);
}

TEST_CASE("a receiver that lacks more of a block than there are repairs gets the data again", "[multicast]") {
  SimulatedNetwork::Options options;
  // The first time, 30 of the block's 240 packets get to nobody; it has 16 repairs.
  const int first = GENERATE(0, 100, 209);
  options.path.filter = [first, seen = 0](std::span<const std::byte> datagram) mutable {
    const auto packet = multicast::decode(datagram);
    if (!packet || packet->kind != Kind::data) return true;
    const int number = seen++;
    return number < first || number >= first + 30;
  };
  SimulatedNetwork network(multicast::parse_protocol("nak:fec=on:window=300:block=240"), 1, options);
  REQUIRE(network.broadcast(pattern(240'000)));
  check_received(network, {pattern(240'000)});
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

TEST_CASE("erasure codes: a sender that overruns its receivers' ways slows down", "[multicast]") {
  SimulatedNetwork::Options options;
  options.packet_bytes = 1440;
  options.link_bytes_per_second = 125e6;
  options.path.bytes_per_second = 12.5e6;
  options.path.queue_bytes = 64'000;
  const auto repairs_of = [&](const char* protocol) {
    SimulatedNetwork network(multicast::parse_protocol(protocol), 5, options);
    const std::vector<std::vector<std::byte>> messages(3, pattern(500'000));
    for (const auto& message : messages) REQUIRE(network.broadcast(message));
    check_received(network, messages);
    return network.sender().counts().retransmitted;
  };
  CHECK(repairs_of("nak:fec=on") < repairs_of("nak:fec=on:rate=1000") / 3);  // a rate that is set is kept
}

TEST_CASE("erasure codes: repairs that only others need are no losses of who has all", "[multicast]") {
  Surface surface;
  const auto protocol = multicast::parse_protocol("nak:fec=on");
  const auto receiver = protocol.row->make_receiver(
      {.receivers = 2, .self = 1, .packet_bytes = 1000, .parameters = protocol.parameters}, surface, surface);
  const auto bytes = pattern(1000);
  std::uint32_t transmission = 0;
  const auto arrive = [&](Kind kind) {
    multicast::Packet packet{.kind = kind, .count = transmission++, .message_bytes = bytes.size()};
    if (kind != Kind::poll) packet.payload = bytes;
    if (kind == Kind::poll) packet.sequence = 1;
    receiver->arrived(multicast::sender_node, packet, {});
  };
  arrive(Kind::data);
  arrive(Kind::repair);
  arrive(Kind::repair);
  arrive(Kind::poll);
  CHECK(surface.said.before == 1);
  CHECK(surface.said.arrived == 4);  // the poll, too
  CHECK(surface.said.seen == 3);
}
