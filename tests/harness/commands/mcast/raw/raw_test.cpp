#include "harness/commands/mcast/raw/raw.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

multicast::Choice raw(const Parameters& parameters = {}) { return {&raw_row(), parameters}; }

/// Bytes of the message that are not there.
std::size_t missing(const SimulatedNetwork& network, int node, const std::vector<std::byte>& message) {
  const auto& received = network.received(node).back();
  REQUIRE(received.bytes.size() == message.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (received.bytes[i] == message[i]) continue;
    ++wrong;
    CHECK(received.bytes[i] == std::byte{});
  }
  return wrong;
}

}  // namespace

TEST_CASE("raw sends each piece once to all, and asks when that is over", "[multicast]") {
  const int receivers = GENERATE(1, 7, 30);
  SimulatedNetwork network(raw(), receivers, {});
  for (const std::size_t bytes : {0, 1, 1000, 1001, 20'000}) {
    CAPTURE(bytes);
    const auto message = pattern(bytes, static_cast<unsigned>(bytes));
    REQUIRE(network.broadcast(message));
    for (int node = 1; node <= receivers; ++node) {
      CHECK(network.received(node).back().complete);
      CHECK(network.received(node).back().bytes == message);
    }
  }
  CHECK(network.complaints().empty());
  const std::size_t pieces = 1 + 1 + 1 + 2 + 20;
  CHECK(network.stats().multicasts == pieces + 5);                             // with a question each
  CHECK(network.stats().unicasts == 5 * static_cast<std::size_t>(receivers));  // and the answers
  CHECK(network.sender().counts().data_packets == pieces);
  CHECK(network.sender().counts().retransmitted == 0);
  CHECK(network.sender().counts().control_packets == 5);
}

TEST_CASE("raw has brought a message before it asks", "[multicast]") {
  SimulatedNetwork network(raw(), 3, {});
  const auto message = pattern(5000);
  network.sender().send(message, network.now());
  REQUIRE(network.run([&] { return network.received(3).size() == 1 && network.received(3)[0].complete; },
                      std::chrono::seconds(1)));
  CHECK(network.now() - multicast::TimePoint{} == LossyLink::Options{}.delay);
  CHECK_FALSE(network.sender().done());
}

TEST_CASE("raw repairs nothing, but ends: what was lost is zeros, and messages stay in order", "[multicast]") {
  SimulatedNetwork::Options options;
  options.path.loss = 0.2;
  options.path.duplication = 0.1;
  options.path.reordering = 0.1;
  options.shared_loss = 0.1;
  SimulatedNetwork network(raw(), 7, options);
  std::size_t lost = 0;
  for (unsigned number = 0; number < 5; ++number) {
    const auto message = pattern(50'000, number);
    REQUIRE(network.broadcast(message));
    for (int node = 1; node <= 7; ++node) {
      REQUIRE(network.received(node).size() == number + 1);
      CHECK(network.received(node).back().complete);
      lost += missing(network, node, message);
    }
  }
  CHECK(network.complaints().empty());
  CHECK(lost > 0);
  CHECK(network.sender().counts().data_packets == 250);
}

TEST_CASE("raw ends when nothing at all has arrived", "[multicast]") {
  SimulatedNetwork::Options options;
  options.path.loss = 0.9;
  SimulatedNetwork network(raw(), 2, options);
  const auto message = pattern(1000);
  for (int i = 0; i < 10; ++i) REQUIRE(network.broadcast(message));
  CHECK(network.received(1).size() == 10);
  CHECK(network.complaints().empty());
}

TEST_CASE("raw waits for inboxes that have no room", "[multicast]") {
  SimulatedNetwork::Options options;
  options.refusals = 0.5;
  SimulatedNetwork network(raw(), 3, options);
  REQUIRE(network.broadcast(pattern(10'000)));
  for (int node = 1; node <= 3; ++node) CHECK(network.received(node).back().complete);
  CHECK(network.complaints().empty());
}

TEST_CASE("a receiver of raw is done when it has been asked, which is after all that others may receive",
          "[multicast]") {
  struct Everything final : multicast::Network, multicast::Inbox {
    void send(multicast::Node, const multicast::Packet&) override {}
    void send_to_all(const multicast::Packet&) override {}
    bool take(const multicast::Packet&) override { return true; }
    void complete(std::uint32_t) override { ++messages; }
    int messages = 0;
  } everything;
  const auto receiver = raw_row().make_receiver({.receivers = 2, .self = 1, .packet_bytes = 1000, .parameters = {}},
                                                everything, everything);
  CHECK(receiver->done());
  receiver->arrived(multicast::sender_node, {.kind = multicast::Packet::Kind::data}, {});
  CHECK(everything.messages == 1);
  CHECK_FALSE(receiver->done());
  receiver->arrived(multicast::sender_node, {.kind = multicast::Packet::Kind::poll, .count = 1}, {});
  CHECK(receiver->done());
}

TEST_CASE("raw is not held up by a receiver that is lost", "[multicast]") {
  SimulatedNetwork network(raw(), 3, {});
  network.stop(2);
  REQUIRE(network.broadcast(pattern(3000)));
  REQUIRE(network.broadcast(pattern(3000)));
  CHECK(network.received(3).size() == 2);
}

TEST_CASE("raw cuts messages as it is told", "[multicast]") {
  SimulatedNetwork network(raw({{"packet", 100}}), 2, {});
  REQUIRE(network.broadcast(pattern(1001)));
  CHECK(network.sender().counts().data_packets == 11);
  CHECK(network.received(2).back().complete);
}

TEST_CASE("raw ignores what makes no sense", "[multicast]") {
  SimulatedNetwork network(raw(), 2, {});
  multicast::Packet packet;
  packet.message_bytes = (std::uint64_t{1} << 30) + 1;
  packet.payload = {};
  for (const auto kind : {multicast::Packet::Kind::data, multicast::Packet::Kind::poll, multicast::Packet::Kind::ack,
                          multicast::Packet::Kind::nak}) {
    packet.kind = kind;
    packet.message = 3;
    network.inject(2, 1, multicast::encode(packet));
    network.inject(2, 0, multicast::encode(packet));
    packet.message = 0;
    network.inject(0, 1, multicast::encode(packet));
  }
  const auto message = pattern(3000);
  REQUIRE(network.broadcast(message));
  CHECK(network.received(1).back().bytes == message);
  CHECK(network.complaints().empty());
}
