#pragma once
/// \file
/// Whether all receivers of a simulated group have what was sent to them.

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "support/simulated_network.hpp"

namespace nasvm::test {

/// Each receiver has these messages and no others, whole and right, and nothing came against the contract.
inline void check_received(const SimulatedNetwork& network, const std::vector<std::vector<std::byte>>& messages) {
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

}  // namespace nasvm::test
