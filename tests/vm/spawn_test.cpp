// Tasks that come and go, with real tasks (the bookkeeping: tests/vm/launch/task_services_test.cpp).

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"
#include "vm/task.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;
using Reports = std::vector<std::string>;

TEST_CASE("a task starts others, and talks to them") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    for (const char* transport : {"auto", "daemon", "direct"}) {
      INFO(hosts.size() << " hosts, " << transport);
      REQUIRE_NOTHROW(machine.run(program_of("spawn and use", 1, transport)));
    }
  }
}

TEST_CASE("each call of spawn makes a world of its own, whose reports follow the first world's") {
  Machine machine({two_hosts(2), "local"});
  const Reports once{"leader", "worker 0", "worker 0", "worker 1", "worker 2", "worker 3"};
  CHECK(machine.run(program_of("spawn a world", 1, "auto")) == once);
  CHECK(machine.run(program_of("spawn a world", 2, "auto")).size() == 12);
}

TEST_CASE("who asks to be told of ends outlives them") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    REQUIRE_NOTHROW(machine.run(program_of("outlive workers", 1, "auto")));
  }
}

TEST_CASE("a task that dies before its world begins takes nobody with it") {
  Machine machine({});
  for (const char* transport : {"auto", "direct", "shm", "daemon"}) {
    CAPTURE(transport);
    REQUIRE_NOTHROW(machine.run(program_of("outlive an early death", 1, transport)));
  }
}

TEST_CASE("a host is lost, and the run goes on for who has asked to be told") {
  Machine machine({two_hosts(1), "local"});
  CHECK_THAT(machine.run(program_of("outlive a host", 1, "auto"))[0],
             Contains("the daemon of host 127.0.0.2 is gone: it was killed by signal 9"));
}

TEST_CASE("what was sent to a task that has ended holds nobody up") {
  Machine machine({two_hosts(1), "local"});
  REQUIRE_NOTHROW(machine.run(program_of("forget sends", 1, "auto")));
}

TEST_CASE("what was spawned ends with the program, and the machine goes on") {
  Machine machine({two_hosts(2), "local"});
  for (int round = 0; round < 2; ++round) {
    CHECK(machine.run(program_of("leave workers behind", 1, "auto")) == Reports{"done", "", ""});
    CHECK(machine.task_pids().empty());
  }
}

TEST_CASE("the death of a spawned task that nobody watches ends the run") {
  Machine machine({});
  CHECK_THROWS_WITH(machine.run(program_of("lose a worker", 1, "auto")),
                    Contains("rank 0 of those that t1.1 has spawned (task t1.2") && Contains("SIGKILL"));
}

TEST_CASE("a task can choose the host of those it starts") {
  Machine machine({two_hosts(1), "local"});
  CHECK(machine.run(program_of("spawn on each host", 1, "auto"))[0] == "12");
  CHECK_THROWS_WITH(machine.run(program_of("spawn nowhere", 1, "auto")),
                    Contains("there is no host \"nowhere\"; the machine has: 127.0.0.1, 127.0.0.2"));
}

TEST_CASE("what cannot be started fails the call, not the run") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    const Reports reports = machine.run(program_of("spawn what is not there", 1, "auto"));
    CHECK_THAT(reports[0], Contains("spawn: daemon of host ") &&
                               Contains(": program no-such-program is not beside ") &&
                               Contains("cannot run /nowhere/program: No such file or directory") &&
                               Contains("cannot run /tmp: Permission denied"));
  }
}

TEST_CASE("tasks meet in named groups") {
  Machine machine({two_hosts(2), "local"});
  for (const int ranks : {1, 2, 5}) REQUIRE_NOTHROW(machine.run(program_of("meet in a group", ranks, "auto")));
}
