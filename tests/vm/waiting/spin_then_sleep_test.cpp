#include "vm/waiting/spin_then_sleep.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

const Ticks us = to_ticks(std::chrono::microseconds(1));
const Ticks start = 1000 * us;

/// A wait whose answer comes after `answer`. Returns how long it has looked on.
Ticks wait(SpinThenSleep& waiting, Ticks answer) {
  if (!waiting.begin()) return 0;
  Ticks looked = 0;
  while (looked < answer && waiting.goes_on(false, start + looked)) looked += us / 4;
  return looked;
}

int times_looked_on(SpinThenSleep& waiting, Ticks answer, int waits) {
  int times = 0;
  for (int i = 0; i < waits; ++i) times += wait(waiting, answer) > 0 ? 1 : 0;
  return times;
}

}  // namespace

TEST_CASE("waits look on for as long as two wake-ups lately took", "[waiting]") {
  SpinThenSleep waiting;
  CHECK(wait(waiting, 1000 * us) == Approx(10 * us).margin(us));
  for (int i = 0; i < 200; ++i) waiting.woken_after(12 * us);
  CHECK(waiting.longest() == Approx(24 * us).epsilon(0.15));
  for (int i = 0; i < 200; ++i) waiting.woken_after(2 * us);
  CHECK(waiting.longest() == Approx(4 * us).epsilon(0.15));
}

TEST_CASE("a wake-up now and then that had to wait for its core counts for little", "[waiting]") {
  SpinThenSleep waiting;
  for (int i = 0; i < 400; ++i) waiting.woken_after(i % 4 == 0 ? 3000 * us : 6 * us);
  CHECK(waiting.longest() < 16 * us);
  for (int i = 0; i < 1000; ++i) waiting.woken_after(3000 * us);
  CHECK(waiting.longest() < 101 * us);
}

TEST_CASE("while answers come soon every wait looks on, whatever an answer now and then takes", "[waiting]") {
  SpinThenSleep waiting;
  for (int i = 0; i < 20; ++i) {
    CHECK(times_looked_on(waiting, us, 20) == 20);
    CHECK(wait(waiting, 1000 * us) > 0);
  }
}

TEST_CASE("where looking on is in vain waits sleep at once, but for a trial now and then", "[waiting]") {
  SpinThenSleep waiting;
  (void)times_looked_on(waiting, 1000 * us, 20);
  CHECK(times_looked_on(waiting, 1000 * us, 6400) == 100);
}

TEST_CASE("answers that come soon again are noticed by the first trial", "[waiting]") {
  SpinThenSleep waiting;
  (void)times_looked_on(waiting, 1000 * us, 100);
  (void)times_looked_on(waiting, us, 64);
  CHECK(times_looked_on(waiting, us, 100) == 100);
}

TEST_CASE("what else has moved begins the wait anew", "[waiting]") {
  SpinThenSleep waiting;
  REQUIRE(waiting.begin());
  CHECK(waiting.goes_on(false, start));
  CHECK(waiting.goes_on(true, start + 9 * us));
  CHECK(waiting.goes_on(false, start + 18 * us));
  CHECK_FALSE(waiting.goes_on(false, start + 20 * us));
}
