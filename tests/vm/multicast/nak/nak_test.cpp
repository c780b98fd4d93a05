// What nak sends, beyond what all protocols promise (multicast/conformance_test.cpp).
#include "vm/multicast/nak/nak.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "support/calm_counts.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("nak: receivers acknowledge each polled packet and the last", "[multicast]") {
  const std::size_t receivers = GENERATE(1U, 2U, 30U);
  const CalmCounts counts = calm_counts("nak:poll=20:window=25", static_cast<int>(receivers), 50);
  CHECK(counts.multicasts == 50);
  CHECK(counts.to_sender == 3 * receivers);
  CHECK(counts.acknowledgements == 3 * receivers);
  CHECK(counts.others == 0);
  CHECK(calm_counts("nak:poll=25:window=25", static_cast<int>(receivers), 50).to_sender == 2 * receivers);
}

TEST_CASE("nak: by default a message of 2 MB is polled at its end alone", "[multicast]") {
  const CalmCounts counts = calm_counts("nak", 2, 2000);
  CHECK(counts.to_sender == 2);
  CHECK(counts.time == 2 * LossyLink::Options{}.delay);
}

TEST_CASE("nak: a poll interval longer than the window is the window", "[multicast]") {
  CHECK(calm_counts("nak:poll=1000:window=10", 2, 50).to_sender == 5 * 2);
}

TEST_CASE("a message of one packet takes one multicast and an acknowledgement from each, whichever the family",
          "[multicast]") {
  for (const auto* protocol : {"nak", "ring", "lineartree:height=1"}) {
    for (const int receivers : {1, 2, 30}) {
      CAPTURE(protocol, receivers);
      CHECK(calm_counts(protocol, receivers, 1) == calm_counts("ack", receivers, 1));
    }
  }
}

TEST_CASE("nak: a lost packet costs one NAK and one repair, which all hear", "[multicast]") {
  SimulatedNetwork::Options options;
  // The third packet vanishes for all the first time that it leaves; the filter is copied to every path.
  options.path.filter = [seen = false](std::span<const std::byte> datagram) mutable {
    const auto packet = multicast::decode(datagram);
    const bool lose = !seen && packet->kind == multicast::Packet::Kind::data && packet->sequence == 2;
    seen = seen || lose;
    return !lose;
  };
  SimulatedNetwork network(multicast::parse_protocol("nak"), 5, options);
  REQUIRE(network.broadcast(pattern(10'000)));
  using Kind = multicast::Packet::Kind;
  CHECK(network.stats().of(Kind::nak) == 5);
  CHECK(network.stats().of(Kind::data) == 11);
  CHECK(network.sender().counts().retransmitted == 1);
  // Behind the repair all are asked, since it may be lost, too: they acknowledge twice.
  CHECK(network.stats().of(Kind::ack) == 10);
  CHECK(network.stats().of(Kind::poll) == 1);
  CHECK(network.now() - multicast::TimePoint{} == 4 * LossyLink::Options{}.delay);
}

TEST_CASE("nak: where packets are lost, that of the last one is found without a time-out", "[multicast]") {
  const auto* protocol = GENERATE("nak", "nak:fec=on:block=5");
  SimulatedNetwork::Options options;
  // So do the third packet and the last one, the first time.
  options.path.filter = [third = false, last = false](std::span<const std::byte> datagram) mutable {
    const auto packet = multicast::decode(datagram);
    if (packet->kind != multicast::Packet::Kind::data) return true;
    bool& seen = packet->sequence == 2 ? third : last;
    return (packet->sequence != 2 && packet->sequence != 9) || std::exchange(seen, true);
  };
  SimulatedNetwork network(multicast::parse_protocol(protocol), 5, options);
  REQUIRE(network.broadcast(pattern(10'000)));
  CHECK(network.sender().counts().retransmitted == 2);
  CHECK(network.now() - multicast::TimePoint{} == 6 * LossyLink::Options{}.delay);
}

TEST_CASE("nak: receivers that hear each other's NAKs send fewer", "[multicast]") {
  const auto naks = [](std::string_view protocol) {
    SimulatedNetwork::Options options;
    options.shared_loss = 0.05;
    options.link_bytes_per_second = 12.5e6;
    SimulatedNetwork network(multicast::parse_protocol(protocol), 10, options);
    REQUIRE(network.broadcast(pattern(300'000)));
    CHECK(network.complaints().empty());
    return network.stats().of(multicast::Packet::Kind::nak);
  };
  CHECK(naks("nak:suppress=receivers") < naks("nak") / 2);
}
