#include "vm/multicast/window/round_trips.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

namespace {

constexpr TimePoint start{1s};

Feedback saw(std::uint32_t transmission, std::chrono::microseconds held = 0us) { return {0, transmission, 0, held}; }

}  // namespace

TEST_CASE("time-outs follow the round trips, without the time that a receiver held its word back", "[multicast]") {
  Transmissions transmissions(64);
  RoundTrips round_trips(2, Duration{});
  for (std::uint32_t i = 0; i < 30; ++i) {
    const TimePoint now = start + i * 1s;
    transmissions.add(now);
    round_trips.report(1, saw(i, 300ms), transmissions, now + 310ms);
    round_trips.report(1, saw(i), transmissions, now + 900ms);  // a second word about it
  }
  CHECK(round_trips.timeout(0) > 10ms);
  CHECK(round_trips.timeout(0) < 15ms);
  CHECK(round_trips.timeout(1) == 2 * round_trips.timeout(0));
}

TEST_CASE("a word about what never left, or is forgotten, measures nothing", "[multicast]") {
  Transmissions transmissions(4);
  RoundTrips round_trips(2, Duration{});
  const Duration unknown = round_trips.timeout(0);
  for (int i = 0; i < 10; ++i) transmissions.add(start);
  round_trips.report(1, saw(Transmissions::none), transmissions, start + 1ms);
  round_trips.report(1, saw(2), transmissions, start + 1ms);
  round_trips.report(1, saw(9, 2ms), transmissions, start + 1ms);  // held for longer than it can have been there
  CHECK(round_trips.timeout(0) == unknown);
}

TEST_CASE("a time-out that was set stays", "[multicast]") {
  const RoundTrips round_trips(2, 7ms);
  CHECK(round_trips.timeout(0) == 7ms);
  CHECK(round_trips.timeout(5) == 7ms);
}
