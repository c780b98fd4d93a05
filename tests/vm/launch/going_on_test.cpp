/// A machine that goes on after failed runs, and grows and shrinks, with daemons under loopback addresses.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "support/process.hpp"
#include "support/task_bodies.hpp"
#include "vm/launch/machine.hpp"
#include "vm/net/timer.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

HostSpec host(int number) {
  const std::string address = "127.0.0." + std::to_string(number);
  return {address, address, 1};
}

Machine::Options hosts(int count) {
  Machine::Options options{.hosts = {}, .goes_on = true};
  for (int number = 1; number <= count; ++number) options.hosts.push_back(host(number));
  return options;
}

bool works(Machine& machine, int tasks) {
  const auto reports = machine.run(program_of("report rank", tasks, "daemon"));
  return reports.size() == static_cast<std::size_t>(tasks);
}

std::size_t there(const Machine& machine) {
  const auto all = machine.all_hosts();
  return static_cast<std::size_t>(std::ranges::count_if(all, &Machine::Host::is_there));
}

void kill_daemon(const Machine& machine, std::size_t which) {
  ::kill(static_cast<pid_t>(machine.hosts()[which].daemon_pid), SIGKILL);
}

/// Serves the machine until it has so many hosts.
bool comes_to_have(Machine& machine, std::size_t count) {
  return eventually([&] {
    machine.idle(10ms);
    return there(machine) == count;
  });
}

}  // namespace

TEST_CASE("a machine that goes on runs programs after one that has failed", "[going on]") {
  Machine machine(hosts(2));
  const auto disturb = GENERATE(0, 1, 2, 3);
  CAPTURE(disturb);
  auto program = program_of("talk forever", 4, "direct");
  if (disturb == 0) program.timeout = 300ms;
  machine.on_start([&] {
    if (disturb == 1) ::kill(static_cast<pid_t>(machine.task_pids()[2]), SIGKILL);
    if (disturb == 2) machine.cancel("nobody wants it");
    if (disturb == 3) throw RunError("who started it has failed");
  });
  const char* expected[] = {"time-out", "rank 2", "nobody wants it", "who started it"};
  CHECK_THROWS_WITH(machine.run(program), Contains(expected[disturb]));
  machine.on_start({});
  CHECK(machine.running_tasks().empty());
  CHECK(works(machine, 4));
  CHECK(there(machine) == 2);
}

TEST_CASE("a program that cannot be placed does no harm", "[going on]") {
  Machine machine(hosts(2));
  auto program = program_of("report rank", 2, "daemon");
  program.on = {host(9)};
  CHECK_THROWS_WITH(machine.run(program), Contains("no host \"127.0.0.9\"; the machine has: 127.0.0.1, 127.0.0.2"));
  machine.add({host(9)});
  machine.remove({"127.0.0.9"});
  CHECK_THROWS_WITH(machine.run(program), Contains("host 127.0.0.9 is no part of the virtual machine any more"));
  program.on = {host(2)};
  program.hosts = 2;
  CHECK_THROWS_WITH(machine.run(program), Contains("a program on 2 hosts cannot be run: it can have 1"));
  CHECK(works(machine, 2));
}

TEST_CASE("a program runs though a host that it names, and needs for no task, is gone", "[going on]") {
  Machine machine(hosts(2));
  auto program = program_of("report rank", 2, "daemon");
  program.on = {host(1), host(2)};
  for (HostSpec& host : program.on) host.slots = 2;
  machine.remove({"127.0.0.2"});
  CHECK(machine.run(program).size() == 2);
  program.size = 3;
  CHECK_THROWS_WITH(machine.run(program), Contains("host 127.0.0.2 is no part"));
}

TEST_CASE("a host whose daemon dies in a run ends it, and the next one takes the others", "[going on]") {
  Machine machine(hosts(3));
  machine.on_start([&] { kill_daemon(machine, 1); });
  CHECK_THROWS_WITH(machine.run(program_of("talk forever", 3, "daemon")),
                    Contains("daemon of host 127.0.0.2 is gone"));
  machine.on_start({});
  CHECK(there(machine) == 2);
  CHECK_THAT(machine.all_hosts()[1].lost, Contains("killed by signal 9"));
  CHECK(works(machine, 5));
  for (const Machine::RunningTask& task : machine.running_tasks()) CHECK(task.host != 1);
}

TEST_CASE("a host that is lost between programs is noticed, and of all none is left to run on", "[going on]") {
  Machine machine(hosts(2));
  kill_daemon(machine, 0);
  REQUIRE(comes_to_have(machine, 1));
  CHECK(works(machine, 2));
  kill_daemon(machine, 1);
  REQUIRE(comes_to_have(machine, 0));
  CHECK_THROWS_WITH(machine.run(program_of("report rank", 2, "daemon")), Contains("no host"));
}

TEST_CASE("hosts can be added and removed between programs", "[going on]") {
  Machine machine(hosts(1));
  machine.add({host(2), host(3)});
  CHECK(there(machine) == 3);
  CHECK(works(machine, 6));
  const long daemon = machine.hosts()[1].daemon_pid;
  machine.remove({"127.0.0.2"});
  CHECK_FALSE(is_running(static_cast<pid_t>(daemon)));
  CHECK(there(machine) == 2);
  CHECK(works(machine, 4));
  machine.add({host(2)});
  CHECK(machine.all_hosts().size() == 4);  // at a position of its own
  CHECK(works(machine, 6));
  CHECK_THROWS_WITH(machine.add({host(3)}), Contains("a part of the machine already"));
  CHECK_THROWS_WITH(machine.add({{"other", host(3).address, 1}}), Contains("already, as 127.0.0.3"));
  CHECK_THROWS_WITH(machine.add(std::vector<HostSpec>(max_hosts, host(7))), Contains("numbers for 32766 hosts"));
  CHECK_THROWS_WITH(machine.remove({"127.0.0.7"}), Contains("no part of the machine"));
  CHECK_THROWS_WITH(machine.remove({"127.0.0.1", "127.0.0.2", "127.0.0.3"}), Contains("one host at least"));
  CHECK(there(machine) == 3);
}

TEST_CASE("a program is placed on the hosts that it names", "[going on]") {
  Machine machine(hosts(3));
  auto program = program_of("report rank", 4, "daemon");
  program.on = {host(3), host(1)};
  program.on[0].slots = 3;
  std::vector<std::size_t> places;
  machine.on_start([&] {
    for (const Machine::RunningTask& task : machine.running_tasks()) places.push_back(task.host);
  });
  (void)machine.run(program);
  CHECK(places == std::vector<std::size_t>{2, 2, 2, 0});
}

TEST_CASE("a host that cannot be added leaves the machine as it was", "[going on]") {
  Machine machine(hosts(1));
  HostSpec far = host(2);
  far.address = "192.0.2.1";
  CHECK_THROWS_WITH(machine.add({far}), Contains("--interface"));
  CHECK(works(machine, 2));
}

TEST_CASE("a host whose removal is interrupted is forgotten all the same", "[going on]") {
  Machine machine(hosts(2));
  const auto daemon = static_cast<pid_t>(machine.hosts()[1].daemon_pid);
  REQUIRE(::kill(daemon, SIGSTOP) == 0);  // it does not end when it is asked to
  ::raise(SIGTERM);
  CHECK_THROWS_AS(machine.remove({"127.0.0.2"}), Interrupted);
  CHECK(there(machine) == 1);
  CHECK(eventually([&] {
    machine.idle(10ms);
    return !is_running(daemon);
  }));
}

TEST_CASE("hosts that come and go leave no descriptors open", "[going on]") {
  Machine machine(hosts(1));
  net::Timer refusal(machine.poller(), [&] { machine.cancel("enough"); });
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  for (int round = 0; round < 3; ++round) {
    machine.add({host(2)});
    machine.remove({"127.0.0.2"});
    machine.add({host(3)});
    kill_daemon(machine, machine.hosts().size() - 1);
    REQUIRE(comes_to_have(machine, 1));
    refusal.set(net::Timer::Clock::now());
    CHECK_THROWS_WITH(machine.add({host(4)}), Contains("enough"));
  }
  CHECK(eventually([&] {
    machine.idle(10ms);
    return descriptors() == before;
  }));
}
