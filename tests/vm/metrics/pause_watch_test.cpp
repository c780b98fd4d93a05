#include "vm/metrics/pause_watch.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;

TEST_CASE("a pause is what lies between two looks for too long", "[pause]") {
  PauseWatch watch(3s);
  PauseWatch::TimePoint now{1000s};
  CHECK(watch.look(now));  // whatever was before
  for (const auto step : {0s, 1s, 3s}) CHECK_FALSE(watch.look(now += step));
  CHECK(watch.look(now += 3001ms));
  CHECK_FALSE(watch.look(now));
  CHECK_FALSE(watch.look(now += 3s));
  CHECK(watch.look(now += 8h));
}
