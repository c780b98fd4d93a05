#include "vm/net/timer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

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

TEST_CASE("a timer that is stopped, or set anew, between its moment and the call does not call", "[timer]") {
  const bool anew = GENERATE(false, true);
  struct Stopper final : Watcher {
    void ready(std::uint32_t) override {
      if (anew) timer->set(Timer::Clock::now() + 1h);
      else timer->stop();
      std::uint64_t count = 0;
      REQUIRE(::read(event.get(), &count, sizeof count) == sizeof count);
    }
    bool anew = false;
    Timer* timer = nullptr;
    Fd event{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
  };
  Poller poller;
  int calls = 0;
  Stopper stopper;
  poller.add(stopper.event.get(), EPOLLIN, stopper);
  Timer timer(poller, [&] { ++calls; });
  stopper.anew = anew;
  stopper.timer = &timer;
  timer.set(Timer::Clock::time_point{});
  CHECK(poller.wait(deadline_length()) == 2);
  CHECK(calls == 0);
  CHECK(timer.is_set() == anew);
  poller.remove(stopper.event.get(), stopper);
}
