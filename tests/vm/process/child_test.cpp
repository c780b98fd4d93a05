#include "vm/process/child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <utility>

#include "support/deadline.hpp"
#include "support/process.hpp"
#include "vm/process/start.hpp"

using namespace nasvm;
using namespace nasvm::process;

namespace {

Child sleeper() { return start({.program = "/bin/sleep", .arguments = {"1000"}}); }

}  // namespace

TEST_CASE("the end of a process is described for people", "[process]") {
  CHECK(describe_wait_status(3 << 8) == "exited with status 3");
  CHECK(describe_wait_status(0) == "exited with status 0");
  CHECK(describe_wait_status(SIGKILL) == "was killed by signal 9 (SIGKILL)");
  CHECK(describe_wait_status(40) == "was killed by signal 40");  // a real-time one
}

TEST_CASE("a child that has ended is reaped once, and says how it ended from then on", "[process]") {
  Child child = start({.program = "/bin/sh", .arguments = {"-c", "exit 5"}});
  const pid_t pid = child.pid();
  REQUIRE(test::eventually([&] { return child.ended().has_value(); }));
  CHECK(describe_wait_status(*child.ended()) == "exited with status 5");
  CHECK_FALSE(child.is_there());
  CHECK(child.pid() == pid);
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a child that another part of the program has reaped has ended", "[process]") {
  Child child = start({.program = "/bin/true"});
  REQUIRE(::waitpid(child.pid(), nullptr, 0) == child.pid());
  REQUIRE(child.ended().has_value());
  CHECK(describe_wait_status(*child.ended()) == "ended, and another part of this program has reaped it");
  CHECK(*child.ended() != 0);
  child.kill();
}

TEST_CASE("how a child has ended is seen before it is reaped", "[process]") {
  const auto [script, expected] = GENERATE(std::pair{"exit 5", 5 << 8}, std::pair{"kill -9 $$", SIGKILL});
  Child child = start({.program = "/bin/sh", .arguments = {"-c", script}});
  REQUIRE(test::eventually([&] { return child.peek().has_value(); }));
  CHECK(child.peek() == expected);
  CHECK(::kill(child.pid(), 0) == 0);
  CHECK(child.ended() == expected);
  CHECK(child.peek() == expected);
  CHECK(::kill(child.pid(), 0) != 0);
}

TEST_CASE("a process is signalled through its descriptor, and nobody once it has gone", "[process]") {
  Child child = sleeper();
  const net::Fd process = process_descriptor(child.pid());
  REQUIRE(process);
  signal_process(process, SIGKILL);
  REQUIRE(test::eventually([&] { return child.ended().has_value(); }));
  CHECK(child.ended() == SIGKILL);
  signal_process(process, SIGKILL);
  CHECK_FALSE(process_descriptor(child.pid()));
}

TEST_CASE("a killed child is gone when the call returns", "[process]") {
  Child child = sleeper();
  CHECK_FALSE(child.ended().has_value());
  child.kill();
  CHECK(::kill(child.pid(), 0) != 0);
  CHECK(*child.ended() == SIGKILL);
  child.kill();
  child.signal(SIGKILL);  // nobody is meant any more
}

TEST_CASE("a stopped child is seen to be stopped, and to go on", "[process]") {
  Child child = sleeper();
  CHECK_FALSE(child.is_stopped());
  child.signal(SIGSTOP);
  CHECK(test::eventually([&] { return child.is_stopped(); }));
  child.signal(SIGCONT);
  CHECK(test::eventually([&] { return !child.is_stopped(); }));
  child.kill();
}

TEST_CASE("a child's descriptor can be read once it has ended", "[process]") {
  Child child = sleeper();
  const net::Fd descriptor = child.end_descriptor();
  pollfd watched{descriptor.get(), POLLIN, 0};
  CHECK(::poll(&watched, 1, 0) == 0);
  child.signal(SIGKILL);
  CHECK(::poll(&watched, 1, static_cast<int>(test::deadline_length() / std::chrono::milliseconds(1))) == 1);
  CHECK(child.ended() == SIGKILL);
}

TEST_CASE("without a process nothing is there, and nothing happens to others", "[process]") {
  Child none;
  CHECK_FALSE(none.is_there());
  CHECK_FALSE(none.ended().has_value());
  CHECK_FALSE(none.is_stopped());
  none.signal(SIGKILL);
  none.kill();
}
