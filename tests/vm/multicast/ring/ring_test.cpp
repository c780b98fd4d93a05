// What ring sends, beyond what all protocols promise (multicast/conformance_test.cpp).
#include "vm/multicast/ring/ring.hpp"

#include <catch2/catch.hpp>

#include "support/calm_counts.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("ring: one receiver acknowledges each packet, and all the last", "[multicast]") {
  const std::size_t receivers = GENERATE(1U, 2U, 7U, 30U);
  const CalmCounts counts = calm_counts("ring", static_cast<int>(receivers), 50);
  CHECK(counts.multicasts == 50);
  CHECK(counts.to_sender == 49 + receivers);
  CHECK(counts.acknowledgements == 49 + receivers);
  CHECK(counts.others == 0);
  CHECK(counts.completed == receivers);
}

TEST_CASE("ring: the window is longer than the ring, whatever is set", "[multicast]") {
  const CalmCounts counts = calm_counts("ring:window=1", 7, 50);
  CHECK(counts.others == 0);
  CHECK(counts.to_sender == 49 + 7);
}
