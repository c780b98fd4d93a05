#include <catch2/catch.hpp>

#include "vm/link/congestion.hpp"
#include "vm/link/rtt_estimator.hpp"

using namespace nasvm::link;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the round trip is smoothed as RFC 6298 says", "[link]") {
  RttEstimator estimator({});
  CHECK_FALSE(estimator.known());
  CHECK(estimator.timeout(0) == milliseconds(200));
  estimator.add(milliseconds(100));
  CHECK(estimator.smoothed() == milliseconds(100));
  CHECK(estimator.timeout(0) == milliseconds(100 + 4 * 50 + 1));  // deviation starts at half; the peer may wait 1 ms
  estimator.add(milliseconds(20));
  CHECK(estimator.smoothed() == milliseconds(90));
  CHECK(estimator.timeout(0) == microseconds(90000 + 4 * 57500 + 1000));
  CHECK(estimator.minimum() == milliseconds(20));
}

TEST_CASE("timeouts have a floor, double, and have a ceiling", "[link]") {
  RttEstimator estimator({});
  for (int i = 0; i < 100; ++i) estimator.add(microseconds(30));
  CHECK(estimator.timeout(0) == milliseconds(5));
  CHECK(estimator.timeout(1) == milliseconds(10));
  CHECK(estimator.timeout(3) == milliseconds(40));
  CHECK(estimator.timeout(8) == seconds(1));
  CHECK(estimator.timeout(1000000) == seconds(1));
}

TEST_CASE("no timeout is shorter than the path", "[link]") {
  RttEstimator estimator({});
  for (int i = 0; i < 100; ++i) estimator.add(seconds(3));
  CHECK(estimator.timeout(0) >= seconds(3));
  CHECK(estimator.timeout(5) == estimator.timeout(0));
}

TEST_CASE("no timeout is as long as a silent peer is given, however long the path seems", "[link]") {
  RttEstimator estimator({});
  for (int i = 0; i < 100; ++i) estimator.add(seconds(60));
  CHECK(estimator.timeout(0) == seconds(3));
  CHECK(estimator.timeout(5) == seconds(3));
}

TEST_CASE("what a sample takes beyond the shortest is time in queues", "[link]") {
  RttEstimator estimator({});
  CHECK(estimator.queueing() == milliseconds(0));
  estimator.add(milliseconds(30));
  CHECK(estimator.queueing() == milliseconds(0));
  estimator.add(milliseconds(500));
  CHECK(estimator.queueing() == milliseconds(470));
}

TEST_CASE("a queue that datagrams wait in shrinks the congestion window, once a window", "[link]") {
  Congestion congestion({.initial_datagrams = 16, .floor_datagrams = 8, .max_bytes = 1000000}, 1000);
  congestion.on_acknowledged_late(15000);
  CHECK(congestion.window() == 16000);
  congestion.on_acknowledged_late(1000);
  CHECK(congestion.window() == 11200);
  for (int i = 0; i < 100; ++i) congestion.on_acknowledged_late(10000);
  CHECK(congestion.window() == 2000);
  CHECK(congestion.on_loss(10, 50));  // does not grow it
  CHECK(congestion.window() == 2000);
  congestion.on_acknowledged(2000, 2000);  // the queue is empty again: one datagram in a round trip
  CHECK(congestion.window() == 3000);
}

TEST_CASE("the congestion window grows only when used, and shrinks once a round trip", "[link]") {
  Congestion congestion({.initial_datagrams = 16, .floor_datagrams = 8, .max_bytes = 1000000}, 1000);
  CHECK(congestion.window() == 16000);
  CHECK(congestion.allows(15000, 1000));
  CHECK_FALSE(congestion.allows(15001, 1000));
  CHECK(congestion.allows(0, 100000));
  congestion.on_acknowledged(1000, 7000);
  CHECK(congestion.window() == 16000);
  congestion.on_acknowledged(16000, 16000);
  CHECK(congestion.window() == 32000);

  CHECK(congestion.on_loss(10, 50));
  CHECK(congestion.window() == 22400);
  CHECK_FALSE(congestion.on_loss(49, 60));  // left before the reduction
  CHECK(congestion.window() == 22400);
  congestion.on_acknowledged(22400, 22400);  // one datagram in a round trip
  CHECK(congestion.window() == 23400);
  CHECK(congestion.on_loss(50, 70));
  congestion.on_timeout(80);
  CHECK(congestion.window() == 8000);
  CHECK_FALSE(congestion.on_loss(79, 90));
  for (std::uint64_t order = 100; order < 110; ++order) congestion.on_loss(order, order + 1);
  CHECK(congestion.window() == 8000);
  for (int i = 0; i < 100000; ++i) congestion.on_acknowledged(100000, 2000000);
  CHECK(congestion.window() == 1000000);
}
