#include "vm/net/timer.hpp"

#include <catch2/catch.hpp>

#include "support/deadline.hpp"

using namespace nasvm::net;
using namespace nasvm::test;
using namespace std::chrono_literals;

TEST_CASE("a timer calls once for each moment that was set, not before it", "[timer]") {
  Poller poller;
  int calls = 0;
  Timer timer(poller, [&] { ++calls; });
  CHECK_FALSE(timer.is_set());
  const auto moment = Timer::Clock::now() + 5ms;
  timer.set(moment);
  CHECK(timer.is_set());
  while (calls == 0 && poller.wait(deadline_length()) > 0) continue;
  CHECK(calls == 1);
  CHECK(Timer::Clock::now() >= moment);
  CHECK_FALSE(timer.is_set());
  CHECK(poller.wait(0ns) == 0);
}

TEST_CASE("a moment that has passed is due at once, one that is taken back never", "[timer]") {
  Poller poller;
  int calls = 0;
  Timer timer(poller, [&] { ++calls; });
  timer.set(Timer::Clock::time_point{});
  CHECK(poller.wait(deadline_length()) == 1);
  CHECK(calls == 1);
  timer.set(Timer::Clock::now() + 1h);
  timer.set(Timer::Clock::time_point{});
  timer.stop();
  CHECK(poller.wait(0ns) == 0);
  CHECK(calls == 1);
}
