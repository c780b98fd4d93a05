#include "vm/launch/heartbeat.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

constexpr Heartbeat::TimePoint begin{1000s};

}  // namespace

TEST_CASE("a sign of life is asked for once in each interval", "[heartbeat]") {
  Heartbeat heartbeat(1);
  CHECK(heartbeat.beat(begin));
  CHECK_FALSE(heartbeat.beat(begin));
  CHECK_FALSE(heartbeat.beat(begin + 999ms));
  CHECK(heartbeat.beat(begin + 1000ms));
  CHECK_FALSE(heartbeat.beat(begin + 1999ms));
  CHECK(heartbeat.beat(begin + 2001ms));
}

TEST_CASE("a daemon that answers every request is never silent", "[heartbeat]") {
  Heartbeat heartbeat(1);
  for (auto now = begin; now < begin + 60s; now += 1s) {
    CHECK(heartbeat.beat(now));
    CHECK_FALSE(heartbeat.is_silent(0, now));
    heartbeat.hear(0, now + 1ms);
    CHECK_FALSE(heartbeat.is_quiet(0, now + 400ms));
  }
}

TEST_CASE(
    "a daemon that stops answering is quiet after half an interval, "
    "overdue after 3 s and silent after 8 s",
    "[heartbeat]") {
  Heartbeat heartbeat(2);
  for (auto now = begin; now <= begin + 9s; now += 1s) {
    (void)heartbeat.beat(now);
    heartbeat.hear(1, now);
    CHECK(heartbeat.is_quiet(0, now) == (now > begin));
    CHECK(heartbeat.is_overdue(0, now) == (now >= begin + 3s));
    CHECK(heartbeat.is_silent(0, now) == (now > begin + 8s));
    CHECK_FALSE(heartbeat.is_quiet(1, now));
  }
}

TEST_CASE("a daemon that answers again is not silent any more", "[heartbeat]") {
  Heartbeat heartbeat(1);
  for (auto now = begin; now <= begin + 20s; now += 1s) (void)heartbeat.beat(now);
  REQUIRE(heartbeat.is_silent(0, begin + 20s));
  heartbeat.hear(0, begin + 20s);
  CHECK_FALSE(heartbeat.is_silent(0, begin + 20s));
  CHECK_FALSE(heartbeat.is_quiet(0, begin + 20s));
}

TEST_CASE("after a pause of the console's own nobody is blamed", "[heartbeat]") {
  Heartbeat heartbeat(1);
  CHECK(heartbeat.beat(begin));
  const auto later = begin + 1h;
  CHECK(heartbeat.beat(later));
  CHECK_FALSE(heartbeat.is_quiet(0, later));
  CHECK_FALSE(heartbeat.is_silent(0, later + 8s));
  CHECK(heartbeat.is_silent(0, later + 9s));
}
