#include "vm/waiting/stand_apart.hpp"

#include <catch2/catch.hpp>

#include <chrono>

using namespace nasvm;
using namespace std::chrono_literals;
using Advice = StandApart::Advice;

namespace {

const Ticks us = to_ticks(1us);

/// Wakes the task every 5 us for so long; how often it has been told to leave.
int leaves(StandApart& apart, int waker, int own, Ticks& now, Ticks time) {
  int told = 0;
  for (const Ticks end = now + time; now < end; now += 5 * us) told += apart.woken(waker, own, now) == Advice::leave;
  return told;
}

}  // namespace

TEST_CASE("who is woken from its own core again and again leaves it", "[waiting]") {
  StandApart apart;
  Ticks now = 1000 * us;
  CHECK(leaves(apart, 1, 1, now, 75 * us) == 0);
  CHECK(leaves(apart, 1, 1, now, 10 * us) == 1);
}

TEST_CASE("leaving in vain is tried again, but seldom", "[waiting]") {
  StandApart apart;
  Ticks now = 1000 * us;
  const int told = leaves(apart, 0, 0, now, 100'000 * us);
  CHECK(told >= 8);
  CHECK(told <= 12);
}

TEST_CASE("wake-ups from elsewhere, and from nobody knows where, are no reason to leave", "[waiting]") {
  StandApart apart;
  Ticks now = 1000 * us;
  CHECK(leaves(apart, 0, 1, now, 20'000 * us) == 0);
  CHECK(leaves(apart, -1, 1, now, 20'000 * us) == 0);
  CHECK(leaves(apart, -1, -1, now, 20'000 * us) == 0);
  for (int i = 0; i < 1000; ++i, now += 5 * us) CHECK(apart.woken(i % 8 == 0 ? 1 : 0, 0, now) == Advice::stay);
}

TEST_CASE("who stays notices that the other one has gone", "[waiting]") {
  StandApart apart;
  Ticks now = 1000 * us;
  CHECK(leaves(apart, 1, 1, now, 100 * us) == 1);
  // Both count; the one that has just left may not leave again so soon.
  CHECK(leaves(apart, 0, 0, now, 100 * us) == 0);
  CHECK(apart.woken(1, 0, now) == Advice::meet);
  CHECK(apart.woken(1, 0, now) == Advice::stay);
}
