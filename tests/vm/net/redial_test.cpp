#include "vm/net/redial.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::net;
using namespace std::chrono_literals;

namespace {

/// Begins an attempt that fails at once, and waits for the next one. False: no more are made.
bool fail_once(Redial& redial, Redial::TimePoint& now) {
  (void)redial.begin(now);
  const auto next = redial.fail(now);
  if (next) now = *next;
  return next.has_value();
}

}  // namespace

TEST_CASE("pauses between attempts grow to their limit", "[redial]") {
  Redial redial({.first_pause = 10ms, .longest_pause = 50ms});
  Redial::TimePoint now{};
  for (const auto pause : {10ms, 20ms, 40ms, 50ms, 50ms}) {
    const auto before = now;
    REQUIRE(fail_once(redial, now));
    CHECK(now - before == pause);
  }
}

TEST_CASE("each attempt gets more time to reach the peer than the one before", "[redial]") {
  Redial redial({.first_connect = 100ms, .longest_connect = 300ms});
  const Redial::TimePoint now{};
  for (const auto patience : {100ms, 200ms, 300ms, 300ms}) CHECK(redial.begin(now) - now == patience);
}

TEST_CASE("attempts end after the patience, but not before there were some", "[redial]") {
  Redial redial({.first_pause = 100ms, .longest_pause = 100ms, .patience = 1s, .least_attempts = 3});
  Redial::TimePoint now{};
  int attempts = 1;
  while (fail_once(redial, now)) ++attempts;
  CHECK(now == Redial::TimePoint{} + 1s);
  CHECK(attempts == 11);

  Redial slow({.patience = 1s, .least_attempts = 3});
  now = {};
  for (int i = 0; i < 2; ++i) {
    (void)slow.begin(now);
    now += 60s;
    CHECK(slow.fail(now));
  }
  (void)slow.begin(now);
  CHECK_FALSE(slow.fail(now));
}

TEST_CASE("after a success everything begins anew", "[redial]") {
  Redial redial({.first_pause = 10ms, .patience = 1s, .least_attempts = 1});
  Redial::TimePoint now{};
  while (fail_once(redial, now)) continue;
  redial.reset();
  const auto before = now;
  REQUIRE(fail_once(redial, now));
  CHECK(now - before == 10ms);
}
