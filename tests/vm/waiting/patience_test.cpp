// Patience: when a waiting task looks on, offers its core, and sleeps. Clock and run delay are the test's own.
#include "vm/waiting/patience.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;
using Advice = Patience::Advice;
using Awaited = Patience::Awaited;

namespace {

/// A start far enough from zero.
const Ticks start = to_ticks(1h);

/// A wait of one look in vain, long after the last one.
Advice wait_at(Patience& patience, Ticks now) {
  if (patience.begin() == Advice::sleep) return Advice::sleep;
  return patience.advise(false, now);
}

}  // namespace

TEST_CASE("a task without time to spin sleeps after its first look", "[patience]") {
  const bool crowded = GENERATE(false, true);
  Patience patience({0us, crowded});
  CHECK(patience.begin() == Advice::sleep);
}

TEST_CASE("a task with a core of its own looks, then offers the core, then sleeps", "[patience]") {
  Patience patience({160us, false});
  REQUIRE(patience.begin() == Advice::look);
  CHECK(patience.advise(false, start) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(9us)) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(11us)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(159us)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(161us)) == Advice::sleep);
}

TEST_CASE("whatever moves begins the time to spin anew", "[patience]") {
  const bool crowded = GENERATE(false, true);
  Patience patience({100us, crowded});
  REQUIRE(patience.begin() == Advice::look);
  (void)patience.advise(false, start);
  CHECK(patience.advise(true, start + to_ticks(99us)) != Advice::sleep);
  CHECK(patience.advise(false, start + to_ticks(190us)) != Advice::sleep);
  CHECK(patience.advise(false, start + to_ticks(201us)) == Advice::sleep);
}

TEST_CASE("each wait has the whole time to spin", "[patience]") {
  Patience patience({100us, false});
  for (const auto begin : {0us, 10000us, 20000us}) {
    CHECK(wait_at(patience, start + to_ticks(begin)) == Advice::look);
    CHECK(patience.advise(false, start + to_ticks(begin + 101us)) == Advice::sleep);
  }
}

TEST_CASE("wake-ups that take much longer than before are believed after a few", "[patience]") {
  Patience patience({100us, false, true});
  for (int i = 0; i < 6; ++i) patience.woken_after(to_ticks(150us));
  CHECK(wait_at(patience, start) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(300us)) == Advice::yield);
}

TEST_CASE("a task with a core of its own looks on while its peer wakes up, however long that takes", "[patience]") {
  Patience patience({100us, false, true});
  for (int i = 0; i < 40; ++i) patience.woken_after(to_ticks(150us));
  REQUIRE(patience.begin() == Advice::look);
  (void)patience.advise(false, start);
  CHECK(patience.advise(false, start + to_ticks(300us)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(700us)) == Advice::sleep);

  // Forgotten when they are short again; and no wake-up, not even one of a second, makes a wait last for long.
  for (int i = 0; i < 40; ++i) patience.woken_after(to_ticks(5us));
  CHECK(wait_at(patience, start + to_ticks(1s)) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(1s + 101us)) == Advice::sleep);
  for (int i = 0; i < 100; ++i) patience.woken_after(to_ticks(1s));
  CHECK(wait_at(patience, start + to_ticks(2s)) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(2s + 590us)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(2s + 610us)) == Advice::sleep);
}

TEST_CASE("looking on for longer stops where it is in vain, and is tried again now and then", "[patience]") {
  Patience patience({100us, false, true});
  for (int i = 0; i < 40; ++i) patience.woken_after(to_ticks(150us));
  Ticks now = start;
  const auto looks_on = [&](bool message_comes) {
    now += to_ticks(1s);
    (void)wait_at(patience, now);
    const bool longer = patience.advise(false, now + to_ticks(200us)) != Advice::sleep;
    if (!message_comes) CHECK(patience.advise(false, now + to_ticks(20ms)) == Advice::sleep);
    return longer;
  };
  for (int i = 0; i < 4; ++i) CHECK(looks_on(false));
  int trials = 0;
  for (int i = 0; i < 640; ++i) trials += looks_on(false) ? 1 : 0;
  CHECK(trials == 10);
  while (!looks_on(true)) {
  }
  for (int i = 0; i < 4; ++i) CHECK(looks_on(false));  // it has paid once
}

TEST_CASE("a task with a core of its own looks on for longer where it waits for something through memory",
          "[patience]") {
  const auto when_asleep = [](Awaited awaited, bool stretches) {
    Patience patience({100us, false, stretches});
    (void)patience.begin(awaited);
    std::chrono::microseconds waited = 0us;
    while (patience.advise(false, start + to_ticks(waited)) != Advice::sleep && waited < 20ms) waited += 10us;
    return waited;
  };
  CHECK(when_asleep(Awaited::anything, true) <= 120us);
  CHECK(when_asleep(Awaited::through_memory, false) <= 120us);
  CHECK(when_asleep(Awaited::through_memory, true) >= 9990us);
  CHECK(when_asleep(Awaited::through_memory, true) <= 10020us);
}

TEST_CASE("a time to spin that somebody has set is kept", "[patience]") {
  Patience patience({100us, false});
  for (int i = 0; i < 40; ++i) patience.woken_after(to_ticks(150us));
  CHECK(wait_at(patience, start) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(101us)) == Advice::sleep);
}

TEST_CASE("a crowded task offers its core after each look", "[patience]") {
  Patience patience({100us, true});
  CHECK(patience.looks() == 1);
  CHECK(patience.begin() == Advice::look);
  CHECK(patience.advise(false, start) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(50us)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(101us)) == Advice::sleep);
}

TEST_CASE("a crowded task looks on for longer where it waits for something through memory", "[patience]") {
  const auto when_asleep = [](Awaited awaited, bool stretches) {
    Patience patience({20us, true, stretches});
    (void)patience.begin(awaited);
    std::chrono::microseconds waited = 0us;
    while (patience.advise(false, start + to_ticks(waited)) == Advice::yield && waited < 5ms) waited += 10us;
    return waited;
  };
  CHECK(when_asleep(Awaited::anything, true) <= 40us);
  CHECK(when_asleep(Awaited::through_memory, false) <= 40us);
  CHECK(when_asleep(Awaited::through_memory, true) >= 2990us);
  CHECK(when_asleep(Awaited::through_memory, true) <= 3020us);
}

TEST_CASE("a crowded task looks on for longer however often that has been in vain", "[patience]") {
  Patience patience({20us, true, true});
  Ticks now = start;
  for (int i = 0; i < 100; ++i) {
    now += to_ticks(1s);
    REQUIRE(patience.begin(Awaited::through_memory) == Advice::look);
    CHECK(patience.advise(false, now) == Advice::yield);
    CHECK(patience.advise(false, now + to_ticks(1500us)) == Advice::yield);
    CHECK(patience.advise(false, now + to_ticks(3100us)) == Advice::sleep);
  }
}

TEST_CASE("a crowded task that has waited for its core for milliseconds sleeps for a while", "[patience]") {
  Patience patience({10ms, true});
  CHECK(patience.begin() == Advice::look);
  CHECK(patience.advise(false, start) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(1ms)) == Advice::yield);
  CHECK(patience.advise(false, start + to_ticks(4ms)) == Advice::sleep);
  CHECK(wait_at(patience, start + to_ticks(6ms)) == Advice::sleep);
  CHECK(wait_at(patience, start + to_ticks(20ms)) == Advice::yield);  // the time between waits is its own
}

TEST_CASE("a task that others keep from running looks on for no longer than a sleep costs, until it is left alone",
          "[patience]") {
  std::chrono::nanoseconds delay = 1h;  // what was before does not count
  Patience patience({100us, false}, [&] { return delay; });
  CHECK(wait_at(patience, start) == Advice::look);
  CHECK(wait_at(patience, start + to_ticks(30ms)) == Advice::look);
  CHECK_FALSE(patience.is_disturbed());
  delay += 15ms;
  CHECK(wait_at(patience, start + to_ticks(60ms)) == Advice::look);
  CHECK(patience.is_disturbed());
  CHECK(patience.looks() == 1);
  CHECK(patience.advise(false, start + to_ticks(60ms + 9us)) == Advice::look);
  CHECK(patience.advise(false, start + to_ticks(60ms + 11us)) == Advice::sleep);
  CHECK(wait_at(patience, start + to_ticks(200ms)) == Advice::look);
  CHECK_FALSE(patience.is_disturbed());
  CHECK(patience.advise(false, start + to_ticks(200ms + 11us)) == Advice::yield);
}

TEST_CASE("short interruptions disturb nobody", "[patience]") {
  std::chrono::nanoseconds delay{0};
  Patience patience({100us, false}, [&] { return delay; });
  CHECK(wait_at(patience, start) == Advice::look);
  for (int i = 1; i <= 20; ++i) {
    delay += 1ms;
    CHECK(wait_at(patience, start + i * to_ticks(25ms)) == Advice::look);
  }
  delay += 50ms;  // in a whole second
  CHECK(wait_at(patience, start + to_ticks(1500ms)) == Advice::look);
}

TEST_CASE("being held up for long disturbs at once, for less long when it comes again", "[patience]") {
  std::chrono::nanoseconds delay{0};
  Patience patience({100us, false}, [&] { return delay; });
  int window = 0;
  const auto is_disturbed_after = [&](std::chrono::nanoseconds held_up) {
    delay += held_up;
    (void)wait_at(patience, start + ++window * to_ticks(25ms));
    return patience.is_disturbed();
  };
  REQUIRE_FALSE(is_disturbed_after(0ms));
  SECTION("long") { CHECK(is_disturbed_after(10ms)); }
  SECTION("now and then") {
    for (int i = 0; i < 20; ++i) CHECK_FALSE(is_disturbed_after(i % 2 == 0 ? 8ms : 1ms));
  }
  SECTION("twice in a row, and then now and then") {
    CHECK_FALSE(is_disturbed_after(5ms));
    CHECK(is_disturbed_after(5ms));
    for (int i = 0; i < 20; ++i) CHECK(is_disturbed_after(i % 2 == 0 ? 0ms : 5ms));
    for (int i = 0; i < 100 && is_disturbed_after(0ms); ++i) continue;  // who sleeps at once measures nothing
    CHECK_FALSE(is_disturbed_after(5ms));
  }
}
