// What all protocols with a window have in common beyond the contract: how they use a network, and how fast they are
// on one with limits. Orders are asserted, not speeds; the figures are in docs/multicast.md.
#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <utility>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* families[] = {"ack", "nak", "ring", "lineartree"};
/// All that adapt their rate.
constexpr const char* paced[] = {"ack", "nak", "ring", "lineartree", "ipmcast", "nak:fec=on"};

/// A switched network of 100 Mbit/s.
SimulatedNetwork::Options ethernet(double loss = 0) {
  SimulatedNetwork::Options options;
  options.packet_bytes = 1440;
  options.link_bytes_per_second = 12.5e6;
  options.path.loss = loss;
  return options;
}

/// A sender's link without limit, before paths of 100 Mbit/s that hold little.
SimulatedNetwork::Options narrow() {
  SimulatedNetwork::Options options;
  options.packet_bytes = 1440;
  options.path.bytes_per_second = 12.5e6;
  options.path.queue_bytes = 64'000;
  return options;
}

double seconds(const SimulatedNetwork& network) {
  return std::chrono::duration<double>(network.now() - multicast::TimePoint{}).count();
}

/// A host's memory for packets that IP has cut. One that lacks a piece stays until it is forgotten; while the memory
/// is full no other packet is put together, and of one that comes when something is forgotten only pieces are taken.
class Reassembly {
 public:
  Reassembly(const SimulatedNetwork& network, double loss, unsigned seed)
      : network_(network), loss_(loss), random_(seed) {}

  /// Is the packet whole?
  bool operator()(std::span<const std::byte> datagram) {
    if (datagram.size() <= 1480) return true;
    const auto now = network_.now();
    const auto since_last = now - std::exchange(last_, now);
    const bool was_full = held_.size() >= packets;
    while (!held_.empty() && held_.front() + while_kept <= now) held_.pop_front();
    if (held_.size() >= packets) return false;
    const bool lacks_piece = (was_full && since_last < 1ms) || happens();
    if (lacks_piece) held_.push_back(now);
    return !lacks_piece;
  }

 private:
  static constexpr std::size_t packets = 370;  ///< of 8 kB
  static constexpr auto while_kept = 30s;
  bool happens() { return std::uniform_real_distribution<>(0, 1)(random_) < loss_; }

  const SimulatedNetwork& network_;
  double loss_;
  std::mt19937 random_;
  std::deque<multicast::TimePoint> held_;
  multicast::TimePoint last_{};
};

/// Until a message is known to be everywhere.
double broadcast_seconds(std::string_view protocol, const SimulatedNetwork::Options& options, std::size_t bytes) {
  SimulatedNetwork network(multicast::parse_protocol(protocol), 10, options);
  const auto message = pattern(bytes);
  REQUIRE(network.broadcast_only(message));
  CHECK(network.complaints().empty());
  return seconds(network);
}

}  // namespace

TEST_CASE("a sender says how long its window is, as set and as chosen", "[multicast]") {
  const auto window = [](std::string_view protocol) {
    return SimulatedNetwork(multicast::parse_protocol(protocol), 2, {}).sender().window();
  };
  for (const auto* protocol : {"nak", "nak:fec=on", "ack", "ipmcast"}) {
    CAPTURE(protocol);
    CHECK(window(std::string(protocol) + ":window=77") == 77);
    CHECK(window(protocol) > 77);
  }
  CHECK(window("ring:window=1") > 1);  // the protocol needs more
  CHECK(window("tree") == 0);
}

TEST_CASE("the window is what the receivers' buffers hold", "[multicast]") {
  SimulatedNetwork::Options options;
  options.packet_bytes = 1000;
  options.room_bytes = 50'000;
  for (const auto* protocol : {"nak", "nak:fec=on", "ipmcast", "ring"}) {
    CAPTURE(protocol);
    SimulatedNetwork network(multicast::parse_protocol(protocol), 2, options);
    CHECK(network.sender().window() == 50);
    const auto message = pattern(300'000);
    REQUIRE(network.broadcast(message));
    CHECK(network.received(2)[0].bytes == message);
  }
}

TEST_CASE("on a long way that is known nobody asks before an answer can be there", "[multicast]") {
  SimulatedNetwork::Options options = ethernet();
  options.path.delay = 150ms;
  for (const auto* protocol : {"ack", "nak", "ring", "lineartree:height=1", "ipmcast", "nak:fec=on"}) {
    CAPTURE(protocol);
    const auto controls = [&](multicast::Duration known) {
      options.round_trip = known;
      SimulatedNetwork network(multicast::parse_protocol(protocol), 4, options);
      REQUIRE(network.broadcast(pattern(20'000)));
      return network.sender().counts().control_packets;
    };
    CHECK(controls(0ms) > 0);
    CHECK(controls(300ms) == 0);
  }
}

TEST_CASE("what is missing on a long way that is known is not asked for again before it can come", "[multicast]") {
  SimulatedNetwork::Options options = ethernet();
  options.path.delay = 150ms;
  const auto naks = [&](multicast::Duration known) {
    options.round_trip = known;
    SimulatedNetwork network(multicast::parse_protocol("nak"), 1, options);
    int packets = 0;
    network.lose(0, 1, [&packets](std::span<const std::byte> /*datagram*/) { return ++packets != 3; });
    REQUIRE(network.broadcast(pattern(20'000)));
    CHECK(network.received(1)[0].bytes == pattern(20'000));
    return network.stats().of(multicast::Packet::Kind::nak);
  };
  CHECK(naks(0ms) > 2);
  CHECK(naks(300ms) == 2);  // at the gap, and when the last packet asks
}

TEST_CASE("a sender with a window waits while the network has no room", "[multicast]") {
  for (const auto* family : families) {
    CAPTURE(family);
    SimulatedNetwork network(multicast::parse_protocol(family), 2, ethernet());
    const auto message = pattern(500'000);
    network.sender().send(message, network.now());
    CHECK(network.sender().counts().data_packets * 1540 <= 60'000 + 2 * 1540);
    REQUIRE(network.run([&] { return network.sender().done(); }, 1s));
    CHECK(network.sender().counts().retransmitted == 0);
  }
}

TEST_CASE("senders that are overrun slow down to what the way carries, however long they have paused",
          "[multicast]") {
  for (const auto* protocol : paced) {
    CAPTURE(protocol);
    SimulatedNetwork network(multicast::parse_protocol(protocol), 3, narrow());
    for (const std::size_t bytes : {20'000, 500'000, 20'000, 500'000, 500'000}) {
      network.advance(network.now() + 10s);  // the program computes
      const auto begin = network.now();
      REQUIRE(network.broadcast_only(pattern(bytes)));
      CHECK(network.now() - begin < 1s);
    }
  }
}

TEST_CASE("packets that IP cuts arrive in the end where pieces are lost", "[multicast]") {
  for (const auto* protocol : paced) {
    CAPTURE(protocol);
    SimulatedNetwork::Options options = ethernet();
    options.packet_bytes = 8192;
    SimulatedNetwork network(multicast::parse_protocol(protocol), 3, options);
    // Of six pieces one is lost: 5 % of them.
    for (int node = 1; node <= 3; ++node) {
      network.lose(0, node, Reassembly(network, 0.26, 1 + static_cast<unsigned>(node)));
    }
    const auto message = pattern(1'000'000);
    for (int i = 0; i < 20; ++i) REQUIRE(network.broadcast_only(message, 10min));
    // Without the memory's limit about one for each of the 123 packets.
    CHECK(network.sender().counts().retransmitted < 20 * 123 * 15);
    CHECK(network.complaints().empty());
    for (int node = 1; node <= 3; ++node) CHECK(network.received(node).back().bytes == message);
  }
}

TEST_CASE("time in which receivers have no room is no time of the way's", "[multicast]") {
  for (const auto* protocol : paced) {
    CAPTURE(protocol);
    SimulatedNetwork network(multicast::parse_protocol(protocol), 3, narrow());
    for (const std::size_t bytes : {20'000, 60'000, 500'000, 500'000}) {
      const auto message = pattern(bytes);
      network.refuse(1);
      CHECK_FALSE(network.broadcast_only(message, 10s));
      network.refuse(0);
      for (int node = 1; node <= 3; ++node) network.resume(node);
      CHECK(network.run([&] { return network.sender().done(); }, 1s));
    }
  }
}

TEST_CASE("a rate that is set is kept", "[multicast]") {
  for (const auto* family : families) {
    CAPTURE(family);
    const double takes = broadcast_seconds(std::string(family) + ":rate=8", SimulatedNetwork::Options{}, 1'000'000);
    CHECK(takes > 1.0);  // a byte in a microsecond, and headers
    CHECK(takes < 1.1);
  }
}

TEST_CASE("packets can be shorter than the path allows, not longer", "[multicast]") {
  const auto packets = [](std::string_view protocol) {
    SimulatedNetwork network(multicast::parse_protocol(protocol), 2, {});
    REQUIRE(network.broadcast(pattern(10'000)));
    return network.sender().counts().data_packets;
  };
  CHECK(packets("nak") == 10);
  CHECK(packets("nak:packet=100") == 100);
  CHECK(packets("nak:packet=8k") == 10);
}

TEST_CASE("with loss, links are busy with repairs and not with waiting", "[multicast]") {
  for (const auto* family : families) {
    CAPTURE(family);
    const SimulatedNetwork::Options options = ethernet(0.05);
    SimulatedNetwork network(multicast::parse_protocol(family), 10, options);
    const auto message = pattern(1'000'000);
    REQUIRE(network.broadcast_only(message));
    const auto packets = static_cast<double>(network.sender().counts().data_packets);
    CHECK(seconds(network) < 1.25 * packets * 1540 / options.link_bytes_per_second);
    // Each of ten receivers misses one in twenty: 1.46 times the packets, however often each asks.
    CHECK(packets < 1.6 * 695);
  }
}

TEST_CASE("packets that overtake each other are not taken for lost, once that has been seen", "[multicast]") {
  const auto lateness = GENERATE(300us, 3000us);
  for (const auto* family : families) {
    CAPTURE(family, lateness.count());
    SimulatedNetwork::Options options = ethernet();
    options.path.reordering = 0.02;
    options.path.lateness = lateness;
    SimulatedNetwork network(multicast::parse_protocol(family), 10, options);
    const auto message = pattern(500'000);
    REQUIRE(network.broadcast(message));
    const auto before = network.sender().counts().retransmitted;
    REQUIRE(network.broadcast(message));
    CHECK(network.sender().counts().retransmitted - before <= 5);
    CHECK(network.complaints().empty());
  }
}

TEST_CASE("a window of the paper's length does not stand still while repairs are on their way", "[multicast]") {
  const double lossless = broadcast_seconds("nak:window=50:poll=43", ethernet(), 1'000'000);
  const double lossy = broadcast_seconds("nak:window=50:poll=43", ethernet(0.01), 1'000'000);
  CHECK(lossy < 2 * lossless);
}

TEST_CASE("a time-out that is set is the while after which a packet leaves again", "[multicast]") {
  SimulatedNetwork::Options options = ethernet(0.1);
  const double quick = broadcast_seconds("nak:timeout=2000", options, 200'000);
  const double slow = broadcast_seconds("nak:timeout=200000", options, 200'000);
  CHECK(quick < slow);
}

TEST_CASE("a sender ends the silence of receivers that heard nothing, and asks less often with time", "[multicast]") {
  SimulatedNetwork::Options options;
  options.path.loss = 1;
  options.notice = 1h;
  SimulatedNetwork network(multicast::parse_protocol("nak"), 2, options);
  CHECK_FALSE(network.broadcast(pattern(100), 10s));
  CHECK(network.sender().counts().control_packets > 10);
  CHECK(network.sender().counts().control_packets < 80);  // all, and after a while each
}

TEST_CASE("a receiver without room is asked from time to time, not flooded", "[multicast]") {
  const bool told = GENERATE(true, false);
  for (const auto* family : families) {
    CAPTURE(family, told);
    SimulatedNetwork network(multicast::parse_protocol(family), 3, ethernet());
    const auto message = pattern(200'000);
    network.refuse(1);
    CHECK_FALSE(network.broadcast(message, 5s));
    CHECK(network.sender().counts().data_packets < 139 + 300);
    network.refuse(0);
    const auto free_at = network.now();
    if (told) {
      for (int node = 1; node <= 3; ++node) network.resume(node);
    }
    REQUIRE(network.run([&] { return network.sender().done(); }, 2s));
    if (told) CHECK(network.now() - free_at < 100ms);
    CHECK(network.complaints().empty());
    for (int node = 1; node <= 3; ++node) CHECK(network.received(node).at(0).bytes == message);
  }
}

TEST_CASE("whatever comes beside a message, the message is right", "[multicast]") {
  using multicast::Packet;
  for (const auto* family : families) {
    CAPTURE(family);
    SimulatedNetwork network(multicast::parse_protocol(family), 3, ethernet(0.05));
    const auto message = pattern(200'000);
    const auto noise = pattern(64, 5);
    std::mt19937 random(4);
    network.sender().send(message, network.now());
    for (int i = 0; i < 300; ++i) {
      Packet packet;
      packet.kind = static_cast<Packet::Kind>(1 + random() % 5);
      packet.message = static_cast<std::uint32_t>(random() % 3);
      packet.sequence = static_cast<std::uint32_t>(random() % 200);
      packet.offset = random();
      packet.message_bytes = packet.offset + 64;
      packet.count = static_cast<std::uint32_t>(random());
      packet.payload = std::span(noise).first(8 * (random() % 9));
      // A receiver's acknowledgement of what it has not got is the one lie that nobody can know for one.
      if (packet.kind == Packet::Kind::ack || packet.kind == Packet::Kind::nak) packet.sequence += 1'000'000;
      const int from = static_cast<int>(random() % 4);
      const int to = static_cast<int>(random() % 4);
      if (from != to && !(from == 0 && packet.kind == Packet::Kind::poll)) {
        network.inject(from, to, multicast::encode(packet));
      }
      network.run([] { return false; }, 50us);
    }
    REQUIRE(network.run([&] { return network.sender().done(); }, 10s));
    CHECK(network.complaints().empty());
    for (int node = 1; node <= 3; ++node) CHECK(network.received(node).at(0).bytes == message);
  }
}
