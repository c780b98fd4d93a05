// What ack sends, beyond what all protocols promise (multicast/conformance_test.cpp).
#include "vm/multicast/ack/ack.hpp"

#include <catch2/catch.hpp>

#include "support/calm_counts.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("ack: with coalesce=1 each receiver acknowledges each packet to the sender", "[multicast]") {
  const std::size_t receivers = GENERATE(1U, 2U, 30U);
  const CalmCounts counts = calm_counts("ack:coalesce=1", static_cast<int>(receivers), 50);
  CHECK(counts.multicasts == 50);
  CHECK(counts.acknowledgements == 50 * receivers);
  CHECK(counts.to_sender == 50 * receivers);
  CHECK(counts.others == 0);
  CHECK(counts.completed == receivers);
  CHECK(counts.time == 2 * LossyLink::Options{}.delay);
}

TEST_CASE("ack: an acknowledgement can stand for several packets, and the last one has its own", "[multicast]") {
  CHECK(calm_counts("ack:coalesce=10", 3, 50).acknowledgements == 5 * 3);
  CHECK(calm_counts("ack:coalesce=10", 3, 51).acknowledgements == 6 * 3);
  CHECK(calm_counts("ack:coalesce=100", 3, 50).acknowledgements == 3);
  CHECK(calm_counts("ack:coalesce=100:window=2", 3, 50).others == 0);
}

TEST_CASE("ack: unless told otherwise an acknowledgement stands for eight packets, or a quarter of a short window",
          "[multicast]") {
  CHECK(calm_counts("ack", 3, 50).acknowledgements == 21);  // 7 of each
  CHECK(calm_counts("ack", 3, 1).acknowledgements == 3);
  CHECK(calm_counts("ack:window=12", 3, 60).acknowledgements == 60);  // 20 of each
  CHECK(calm_counts("ack:window=1", 3, 10).acknowledgements == 30);   // 10 of each
  CHECK(calm_counts("ack:window=1", 3, 10).others == 0);
}

TEST_CASE("ack: no more than the window is on its way", "[multicast]") {
  // With a window of 5, ten packets take two round trips.
  CHECK(calm_counts("ack:window=5", 3, 10).time == 4 * LossyLink::Options{}.delay);
  CHECK(calm_counts("ack:window=1", 3, 10).time == 20 * LossyLink::Options{}.delay);
}
