// Patience beside programs of others, on a simulated computer.
#include <catch2/catch.hpp>

#include "support/simulated_scheduler.hpp"
#include "vm/waiting/choice.hpp"

using namespace nasvm;
using namespace std::chrono_literals;
using test::SimulatedScheduler;

namespace {

constexpr Patience::Options own_core{.spin = spin_on_own_core};

SimulatedScheduler::Compute always(std::chrono::nanoseconds time) {
  return [time](long) { return time; };
}

/// Two tasks on cores of their own, and so many others on the second one's.
struct Pair {
  Pair(SimulatedScheduler::Compute first, SimulatedScheduler::Compute second, int others) {
    (void)computer.add_task(own_core, std::move(first), 0);
    (void)computer.add_task(own_core, std::move(second), 1);
    for (int i = 0; i < others; ++i) computer.add_busy_loop(1);
  }
  SimulatedScheduler computer;
};

long rounds_in_a_second(SimulatedScheduler::Compute compute, int others) {
  Pair pair(compute, compute, others);
  pair.computer.run_for(1s);
  return pair.computer.record(0).rounds;
}

}  // namespace

TEST_CASE("beside programs of others short answers are looked for: a pair keeps its share of the speed",
          "[waiting]") {
  const long alone = rounds_in_a_second(always(300ns), 0);
  CHECK(rounds_in_a_second(always(300ns), 1) > alone * 2 / 5);
  CHECK(rounds_in_a_second(always(300ns), 2) > alone / 4);
}

TEST_CASE("a task does not poll while its peer waits for a core", "[waiting]") {
  Pair pair(always(300ns), always(300ns), 1);
  pair.computer.run_for(1s);
  const auto& record = pair.computer.record(0);
  // Half of the time the other one's core is taken. A quarter of what remains are answers under way.
  CHECK(record.sleeps > 50);
  CHECK(record.looked < 300ms);
}

TEST_CASE("answers that take longer than a wake-up are slept for", "[waiting]") {
  Pair pair(always(5us), always(200us), 1);
  pair.computer.add_busy_loop(0);
  pair.computer.run_for(1s);
  const auto& record = pair.computer.record(0);
  CHECK(record.rounds > 1000);
  CHECK(record.sleeps > record.rounds / 2);
  CHECK(record.looked < 100ms);
}

TEST_CASE("tasks that share a core beside others hand it on at once", "[waiting]") {
  SimulatedScheduler computer;
  for (int i = 0; i < 2; ++i) (void)computer.add_task(own_core, always(300ns), 0);
  computer.add_busy_loop(0);
  computer.run_for(1s);
  CHECK(computer.record(0).rounds > 50'000);
  CHECK(computer.record(0).looked + computer.record(1).looked < 150ms);
}

TEST_CASE("answers that have become short again are noticed", "[waiting]") {
  const auto changing = [](long round) { return round < 500 ? 400us : 300ns; };
  Pair pair(always(300ns), changing, 1);
  pair.computer.run_for(600ms);
  const long before = pair.computer.record(0).rounds;
  REQUIRE(before > 500);
  pair.computer.run_for(1s);
  CHECK(pair.computer.record(0).rounds - before > rounds_in_a_second(always(300ns), 0) * 2 / 5);
}

TEST_CASE("two tasks that have slept meet awake again, however long wake-ups take", "[waiting]") {
  for (const auto wake_up : {5us, 60us, 150us}) {
    SimulatedScheduler computer({.wake_up = wake_up});
    const Patience::Options waiting{.spin = spin_on_own_core, .stretches = true};
    const auto pauses_once = [](long round) { return round == 100 ? 3ms : 300ns; };
    (void)computer.add_task(waiting, always(300ns), 0);
    (void)computer.add_task(waiting, pauses_once, 1);
    computer.run_for(200ms);
    const auto& record = computer.record(0);
    INFO("wake-ups of " << wake_up.count() << " us: " << record.rounds << " rounds, " << record.sleeps << " sleeps");
    CHECK(record.rounds > 100'000);
    CHECK(record.sleeps < 100);
  }
}

TEST_CASE("who waits for one that computes does not look on for three wake-ups again and again", "[waiting]") {
  SimulatedScheduler computer({.wake_up = 150us});
  const Patience::Options waiting{.spin = spin_on_own_core, .stretches = true};
  (void)computer.add_task(waiting, always(300ns), 0);
  (void)computer.add_task(waiting, always(2ms), 1);
  computer.run_for(1s);
  const auto& record = computer.record(0);
  REQUIRE(record.rounds > 300);
  CHECK(record.looked < record.rounds * 120us);
}
