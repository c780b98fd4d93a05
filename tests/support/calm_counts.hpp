#pragma once
/// \file
/// What a multicast protocol sends on a network without any trouble, to be counted exactly.

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

namespace nasvm::test {

struct CalmCounts {
  std::size_t multicasts = 0;
  std::size_t acknowledgements = 0;  ///< wherever they go
  std::size_t to_sender = 0;
  std::size_t others = 0;  ///< NAKs and polls
  std::size_t completed = 0;
  multicast::Duration time{};

  friend bool operator==(const CalmCounts&, const CalmCounts&) = default;
};

/// One message of so many pieces.
inline CalmCounts calm_counts(std::string_view protocol, int receivers, std::size_t pieces) {
  SimulatedNetwork::Options options;
  SimulatedNetwork network(multicast::parse_protocol(protocol), receivers, options);
  const auto message = pattern(pieces * options.packet_bytes);
  REQUIRE(network.broadcast(message));
  using Kind = multicast::Packet::Kind;
  const SimulatedNetwork::Stats& stats = network.stats();
  CHECK(network.sender().counts().data_packets == stats.of(Kind::data));
  CHECK(network.sender().counts().retransmitted == 0);
  CHECK(network.sender().counts().control_packets == stats.of(Kind::poll));
  CalmCounts counts{.multicasts = stats.multicasts,
                    .acknowledgements = stats.of(Kind::ack),
                    .to_sender = stats.to_sender,
                    .others = stats.of(Kind::nak) + stats.of(Kind::poll),
                    .time = network.now() - multicast::TimePoint{}};
  for (int node = 1; node <= receivers; ++node) counts.completed += network.received(node).size();
  return counts;
}

}  // namespace nasvm::test
