#include "harness/commands/p2p/record.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace nasvm;

TEST_CASE("p2p record: there is a p99 of 100 samples, and none of fewer") {
  std::vector<double> seconds(99, 2e-6);
  CHECK(latency_of(seconds, Sample::whole).p99_us == 0);
  CHECK(latency_of(seconds, Sample::whole).max_us == Approx(2));
  seconds.push_back(2e-6);
  CHECK(latency_of(seconds, Sample::whole).p99_us == Approx(2));
  CHECK(latency_of(seconds, Sample::round_trip).p99_us == Approx(1));
}
