#include "vm/task.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include "support/deadline.hpp"
#include "support/environment_variable.hpp"
#include "support/packet_recorder.hpp"
#include "support/refused_calls.hpp"
#include "support/sanitizer.hpp"
#include "support/task_bodies.hpp"
#include "vm/net/fd.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/protocol/protocol.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("a task of another build than its daemon says so in its own name") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
  PacketRecorder of_daemon;
  net::PacketStream daemon(net::Fd{ends[1]}, of_daemon);
  const Tid own = Tid::task(1, 3);
  protocol::Welcome welcome;
  welcome.version = "0.0.1 (of last year)";
  welcome.tid = own;
  protocol::send(daemon, Tid::daemon(1), own, welcome);
  (void)daemon.flush();
  ::setenv(protocol::task_fd_variable, std::to_string(ends[0]).c_str(), 1);
  CHECK_THROWS_AS(Task{}, UsageError);
  ::unsetenv(protocol::task_fd_variable);

  for (Deadline deadline; of_daemon.arrived.empty() && !deadline.passed();) (void)daemon.receive();
  REQUIRE(of_daemon.arrived.size() == 1);
  CHECK(Tid{of_daemon.arrived[0].envelope.source} == own);
  const auto failed = protocol::expect<protocol::Failed>(protocol::parse(of_daemon.arrived[0].payload));
  CHECK(failed.exit == Exit::usage);
  CHECK(failed.text.find("0.0.1 (of last year)") != std::string::npos);
}

TEST_CASE("a process is a task where the socket that its environment names is there") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const net::Fd here(ends[0]), there(ends[1]);
  const auto is_task = [](const std::string& descriptor) {
    const EnvironmentVariable variable(protocol::task_fd_variable, descriptor);
    CHECK(Task::descends_from_daemon());
    return Task::in_environment();
  };
  CHECK(is_task(std::to_string(here.get())));
  CHECK_FALSE(is_task("abc"));
  CHECK_FALSE(is_task("1000000"));  // what a task starts has the variable alone
  CHECK_FALSE(Task::descends_from_daemon());
}

TEST_CASE("why a task cannot join is said by itself where no console hears of it") {
  CHECK_THAT(Machine({}).run(program_of("run a task in a task", 1, "auto"))[0],
             Catch::Contains("nasvm: this process is a task already") && Catch::Contains("status 2"));
}

TEST_CASE("every rank's report reaches the console") {
  Machine machine({two_hosts(2), "local"});
  const auto reports = machine.run(program_of("report rank", 5, "daemon"));
  REQUIRE(reports == std::vector<std::string>{"rank 0", "rank 1", "rank 2", "rank 3", "rank 4"});
}

TEST_CASE("a Comm knows whether its tasks are on one host, over every transport") {
  const std::string transport = GENERATE("daemon", "direct", "shm", "auto");
  const int tasks = 3;  // two on the first host
  Machine two({two_hosts(2), "local"});
  if (transport != "shm") {
    const auto reports = two.run(program_of("report hosts", tasks, transport));
    CHECK(reports == std::vector<std::string>{"several several one ", "several one one ", "several several one "});
  }
  Machine one({});
  for (const std::string& report : one.run(program_of("report hosts", tasks, transport))) {
    CHECK(report == "one one one ");
  }
}

TEST_CASE("long reports arrive whole") {
  Machine machine({});
  const auto reports = machine.run(program_of("report long", 3, "direct"));
  for (std::size_t rank = 0; rank < 3; ++rank) {
    REQUIRE(reports[rank] == std::string(3'000'000, static_cast<char>('a' + rank)) + "end\n");
  }
}

TEST_CASE("multicasts arrive when the program asks for IP multicast, and when it asks for none") {
  const std::string protocol = GENERATE("", "fanout", "ipmcast", "auto");
  Machine machine(
      {{{"127.0.0.1", "127.0.0.1", 2}, {"127.0.0.2", "127.0.0.2", 2}, {"127.0.0.3", "127.0.0.3", 2}}, "local"});
  for (const std::string_view body : {"multicast", "packed ring after multicast"}) {
    INFO(body << ", " << protocol);
    Machine::Program program = program_of(body, 6, "daemon");
    program.multicast = protocol;
    REQUIRE_NOTHROW(machine.run(program));
  }
}

TEST_CASE("packed messages, direct messages and multicasts arrive") {
  const std::string body = GENERATE("packed messages", "direct messages", "multicast");
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    for (const int ranks : {1, 2, 4, 7}) {
      INFO(body << ", " << hosts.size() << " hosts, " << ranks << " ranks");
      REQUIRE_NOTHROW(machine.run(program_of(body, ranks, "auto")));
    }
  }
}

TEST_CASE("tasks look for messages without waiting, or not for longer than they say") {
  for (const auto& hosts : {loopback_host(), two_hosts(1)}) {
    Machine machine({hosts, "local"});
    REQUIRE_NOTHROW(machine.run(program_of("receive without waiting", 2, "auto")));
  }
}

TEST_CASE("tasks leave one by one, each when its messages have been received") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    REQUIRE_NOTHROW(machine.run(program_of("depart one by one", 3, "auto")));
    REQUIRE_NOTHROW(machine.run(program_of("packed messages", 3, "auto")));
  }
}

TEST_CASE("a process has one Task") {
  Machine machine({});
  CHECK_THAT(machine.run(program_of("join twice", 1, "auto"))[0], Catch::Contains("is a task already"));
}

TEST_CASE("a task that has left sends, receives and reports nothing") {
  Machine machine({});
  const std::string body =
      GENERATE("send after finish", "receive after depart", "use a Comm after finish", "wait after finish",
               "send by a Comm after finish", "forget a receive after finish", "report after finish");
  CAPTURE(body);
  CHECK_THROWS_WITH(machine.run(program_of(body, 1, "auto")), Catch::Contains("this task has left"));
}

TEST_CASE("a receive that was too short, and that nobody has waited for, is told when its task finishes") {
  Machine machine({});
  CHECK_THROWS_WITH(
      machine.run(program_of("forget a receive that is too short", 2, "auto")),
      Catch::Contains("a message of 8 bytes from rank 1 (tag 7) does not fit its receive buffer of 4 bytes"));
}

TEST_CASE("what is no task cannot be sent to") {
  Machine machine({});
  CHECK(machine.run(program_of("send to no task", 1, "auto"))[0] ==
        "there is no task console;there is no task d1;there is no task g1.1;there is no task t0.0;");
}

TEST_CASE("tasks may all send before any of them receives, as with PVM") {
  Machine machine({two_hosts(1), "local"});
  REQUIRE_NOTHROW(machine.run(program_of("packed ring", 3, "auto")));
}

TEST_CASE("tasks that block each other in send beyond what they may keep are named") {
  const std::string body = GENERATE("packed ring", "packed ring after multicast");
  const std::string buffer = GENERATE("1M", "4M");
  CAPTURE(body, buffer);
  Machine machine({two_hosts(1), "local"});
  Machine::Program program = program_of(body, 3, "daemon:buffer=" + buffer);
  program.timeout = std::chrono::ceil<std::chrono::milliseconds>(deadline_length());
  CHECK_THROWS_WITH(machine.run(program),
                    Catch::Contains("rank 0 waits in send for rank 1, rank 1 for rank 2, rank 2 for rank 0"));
}

TEST_CASE("a sender that floods a sleeping receiver is stopped, and no memory grows", "[heavy]") {
  const bool across = GENERATE(false, true);
  Machine machine({across ? two_hosts(1) : loopback_host(), "local"});
  std::istringstream report(machine.run(program_of("flood a sleeping receiver", 2, "daemon"))[1]);
  std::size_t asleep_kib = 0, awake_kib = 0, receiver_kib = 0;
  report >> asleep_kib >> awake_kib >> receiver_kib;
  INFO("daemon " << asleep_kib << " and " << awake_kib << " KiB, receiver " << receiver_kib << " KiB");
  // A sanitizer keeps up to 256 MiB of what has been freed, and shadows all memory. 4 GiB pass through all the same.
  const std::size_t own_kib = sanitized ? 448 * 1024 : 0;
  REQUIRE(asleep_kib > 0);
  REQUIRE(asleep_kib < own_kib + 64 * 1024);
  REQUIRE(awake_kib < own_kib + 64 * 1024);
  REQUIRE(receiver_kib < own_kib + 128 * 1024);
}

TEST_CASE("pairs may have an order of preference of their own") {
  Machine machine({});
  Machine::Program program = program_of("report methods", 3, "daemon");
  program.pair_orders = {{0, 1, "shm"}, {2, 0, "direct+daemon"}};
  const auto reports = machine.run(program);
  CHECK(reports[0] == "self shm direct ");
  CHECK(reports[1] == "shm self daemon ");
  CHECK(reports[2] == "direct daemon self ");
}

TEST_CASE("a task tells what it considered for a peer, in order of preference") {
  Machine machine({two_hosts(1), "local"});
  for (const std::string& report : machine.run(program_of("report candidates", 2, "direct+shm+daemon"))) {
    CHECK(report == "direct shm daemon ");
  }
}

TEST_CASE(
    "a task has no descriptor that whoever started the machine had open, and none of transports it does not use") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);  // to be inherited
  const net::Fd read_end(ends[0]), write_end(ends[1]);
  struct stat pipe {};
  ::fstat(ends[0], &pipe);
  Machine machine({});
  const auto count = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const std::string transport : {"daemon", "direct", "shm"}) {
    Machine::Program program = program_of("report descriptors", 2, transport);
    program.bind = Binding::none;  // tasks hold their cores by sockets
    for (const std::string& report : machine.run(program)) {
      CAPTURE(transport, report);
      CHECK(count(report, "pipe:[" + std::to_string(pipe.st_ino) + "]") == 0);
      CHECK((count(report, "memfd:nasvm") != 0) == (transport == "shm"));
      const bool has_daemon_alone = count(report, "socket:[") == 1;
      CHECK(has_daemon_alone == (transport != "direct"));
    }
  }
}

TEST_CASE("tasks that reach each other through memory need no descriptors for connections") {
  const std::string transport = GENERATE("auto", "direct");
  CAPTURE(transport);
  const int status = status_in_child([&] {
    const rlimit few{90, 90};  // eight tasks with connections to all others need 103
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 1;
    try {
      Machine machine({});
      return machine.run(program_of("report rank", 8, transport)).size() == 8 ? 0 : 2;
    } catch (const Error& error) {
      return std::string(error.what()).find("file descriptors for 7 peers") != std::string::npos ? 3 : 4;
    }
  });
  CHECK(status == (transport == "auto" ? 0 : 3));
}

TEST_CASE("direct messages go through the daemons between tasks whose orders do not name direct") {
  Machine machine({two_hosts(2), "local"});
  Machine::Program program = program_of("direct messages", 4, "daemon");
  if (GENERATE(false, true)) program.pair_orders = {{0, 1, "direct"}, {1, 2, "shm+direct"}};
  REQUIRE_NOTHROW(machine.run(program));
}

TEST_CASE("tasks of one program may have rings of different lengths") {
  Machine machine({});
  for (const std::string transport : {"shm", "shm:ring=64k"}) {
    Machine::Program program = program_of("conformance", 3, transport);
    program.pair_orders = {{0, 1, "shm:ring=4k"}};
    REQUIRE_NOTHROW(machine.run(program));
  }
}

TEST_CASE("the eager limit of a transport is that of the messages to its peers") {
  Machine machine({});
  for (const std::string transport : {"shm", "direct", "daemon"}) {
    CAPTURE(transport);
    CHECK(machine.run(program_of("report eager", 2, transport))[0] == "at once");
    CHECK(machine.run(program_of("report eager", 2, transport + ":eager=1000"))[0] == "at once");
    CHECK(machine.run(program_of("report eager", 2, transport + ":eager=999"))[0] == "asks first");
  }
}
