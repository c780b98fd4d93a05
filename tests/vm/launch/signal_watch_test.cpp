#include "vm/launch/signal_watch.hpp"

#include <signal.h>
#include <sys/resource.h>
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

TEST_CASE("who cannot wait for signals says why", "[launch]") {
  net::Poller poller;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  {
    const net::Fd lowest(::dup(STDERR_FILENO));
    rlimit limit = before;
    limit.rlim_cur = static_cast<rlim_t>(lowest.get());
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }
  CHECK_THROWS_WITH(SignalWatch(poller), Catch::Contains("signals: Too many open files"));
  ::setrlimit(RLIMIT_NOFILE, &before);
}
