#include "vm/launch/signal_watch.hpp"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "vm/launch/machine.hpp"

using namespace nasvm;

TEST_CASE("a signal that is to end this process is something to wait for", "[launch]") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP);
  CAPTURE(number);
  net::Poller poller;
  const SignalWatch watch(poller);
  ::kill(::getpid(), number);
  CHECK_THROWS_AS(poller.wait(std::chrono::seconds(60)), Interrupted);
}

TEST_CASE("a signal that this process was started to ignore stays ignored", "[launch]") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP);
  CAPTURE(number);
  const auto before = ::signal(number, SIG_IGN);
  {
    net::Poller poller;
    const SignalWatch watch(poller);
    ::kill(::getpid(), number);
    CHECK_NOTHROW(poller.wait(std::chrono::nanoseconds(0)));
  }
  ::signal(number, before);
}
