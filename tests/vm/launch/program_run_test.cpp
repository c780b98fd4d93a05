#include "vm/launch/program_run.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr Verdict::TimePoint now{1000s};

/// Two hosts on one computer and one on another, two slots each.
std::vector<TaskHost> three_hosts() {
  return {{{"left", "127.0.0.1", 2}, "one"}, {{"right", "127.0.0.2", 2}, "one"}, {{"far", "192.0.2.1", 2}, "two"}};
}

Machine::Program program_of(int size) {
  Machine::Program program;
  program.path = "/bin/program";
  program.size = size;
  program.threads = 3;
  program.transport = "shm+direct";
  if (size > 1) program.pair_orders = {{0, 1, "daemon"}};
  program.setup = "what to do";
  return program;
}

struct Fixture {
  explicit Fixture(int size) : program(program_of(size)), run(program, hosts) {}

  std::string told() const {
    try {
      verdict.pronounce();
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::vector<TaskHost> hosts = three_hosts();
  Machine::Program program;
  ProgramRun run;
  Verdict verdict;
};

}  // namespace

TEST_CASE("broadcasts by a protocol that nobody knows are refused before anything is started", "[program run]") {
  std::vector<TaskHost> hosts = three_hosts();
  Machine::Program program = program_of(2);
  for (const std::string known : {"", "auto", "nak:window=20"}) {
    program.multicast = known;
    CHECK_NOTHROW(ProgramRun(program, hosts));
  }
  program.multicast = "autp";
  CHECK_THROWS_AS(ProgramRun(program, hosts), UsageError);
  CHECK_THROWS_WITH(ProgramRun(program, hosts), Contains("\"autp\" (did you mean auto?)") && Contains("nak"));
}

TEST_CASE("every host is told of its own tasks, and of the program", "[program run]") {
  const Fixture fixture(5);
  const auto spawns = fixture.run.spawns();
  REQUIRE(spawns.size() == 3);
  using Tasks = std::vector<protocol::TaskEntry>;
  CHECK(spawns.at(0).tasks == Tasks{{Tid::task(1, 1), 0, 0}, {Tid::task(1, 2), 1, 1}});
  CHECK(spawns.at(1).tasks == Tasks{{Tid::task(2, 1), 2, 2}, {Tid::task(2, 2), 3, 3}});
  CHECK(spawns.at(2).tasks == Tasks{{Tid::task(3, 1), 4, 0}});
  for (const auto& [host, message] : spawns) {
    CHECK(message.program == "/bin/program");
    CHECK(message.size == 5);
    CHECK(message.size_here == (host == 2 ? 1 : 4));
    CHECK(message.setup ==
          protocol::Setup{
              .program = "what to do", .transport = "shm+direct", .pairs = {{0, 1, "daemon"}}, .bind = true});
  }
}

TEST_CASE("a host without tasks is told nothing", "[program run]") {
  const Fixture fixture(2);
  CHECK(fixture.run.spawns().size() == 1);
}

TEST_CASE("the load of a host is that of its computer", "[program run]") {
  const Fixture fixture(5);
  const auto spawns = fixture.run.spawns();
  CHECK(spawns.at(0).load == protocol::Load{.tasks = 4, .threads = 12, .daemons = 2});
  CHECK(spawns.at(1).load == spawns.at(0).load);
  CHECK(spawns.at(2).load == protocol::Load{.tasks = 1, .threads = 3, .daemons = 1});
}

TEST_CASE("tids count on from run to run, and begin again when there are no more", "[program run]") {
  auto hosts = three_hosts();
  hosts[0].next_local = max_tasks_per_host;
  const auto program = program_of(2);
  const ProgramRun run(program, hosts);
  const auto tasks = run.spawns().at(0).tasks;
  CHECK(tasks[0].tid == Tid::task(1, max_tasks_per_host));
  CHECK(tasks[1].tid == Tid::task(1, 1));
  const ProgramRun next(program, hosts);
  CHECK(next.spawns().at(0).tasks[0].tid == Tid::task(1, 2));
}

TEST_CASE("when all are ready, all are told of all", "[program run]") {
  Fixture fixture(3);
  fixture.run.take(protocol::Ready{Tid::task(1, 1), 11, {{"shm", "a"}}});
  fixture.run.take(protocol::Ready{Tid::task(1, 2), 12, {}});
  CHECK_FALSE(fixture.run.all_ready());
  fixture.run.take(protocol::Ready{Tid::task(9, 9), 13, {}});  // of another run
  CHECK_FALSE(fixture.run.all_ready());
  fixture.run.take(protocol::Ready{Tid::task(2, 1), 21, {}});
  CHECK(fixture.run.all_ready());
  const auto members = fixture.run.start().members;
  REQUIRE(members.size() == 3);
  CHECK(members[0] == Member{Tid::task(1, 1), "left", {{"shm", "a"}}});
  CHECK(members[2] == Member{Tid::task(2, 1), "right", {}});
}

TEST_CASE("a program has one task or more", "[program run]") {
  const int size = GENERATE(0, -3);
  CHECK_THROWS_WITH(Fixture(size), Catch::Contains("tasks cannot be run: 1 or more can"));
}

TEST_CASE("a program that cannot be meant is refused", "[program run]") {
  Machine::Program program = program_of(2);
  const auto complaint = [&] {
    auto hosts = three_hosts();
    try {
      const ProgramRun run(program, hosts);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(complaint().empty());
  SECTION("it has no path") {
    program.path.clear();
    CHECK(complaint() == "a program without a path cannot be run");
  }
  SECTION("a variable has no name, or no value") {
    program.environment = {"A=", GENERATE("NOEQUALS", "=x", "")};
    CHECK_THAT(complaint(), Contains('"' + program.environment[1] + "\": expected NAME=value"));
  }
  SECTION("a transport is set between others than its ranks") {
    program.pair_orders.push_back({0, GENERATE(-1, 2), "daemon"});
    CHECK_THAT(complaint(), Contains("transport daemon between ranks 0 and ") && Contains("has ranks 0 to 1"));
  }
  SECTION("it is for more hosts than there are") {
    program.hosts = GENERATE(-1, 4);
    CHECK_THAT(complaint(), Contains(" hosts cannot be run: it can have 3"));
  }
  SECTION("it names a host that has never been there") {
    program.on = {{"zzz", "127.0.0.9", 1}};
    CHECK(complaint() == "there is no host \"zzz\"; the machine has: left, right, far");
  }
}

TEST_CASE("a run is over when every task has left in good order", "[program run]") {
  Fixture fixture(2);
  fixture.run.take(protocol::Exited{Tid::task(1, 1), 11, true, false, ""}, fixture.verdict, now);
  CHECK_FALSE(fixture.run.all_over());
  fixture.run.take(protocol::Exited{Tid::task(1, 2), 12, true, false, ""}, fixture.verdict, now);
  CHECK(fixture.run.all_over());
  CHECK_FALSE(fixture.verdict.failed());
}

TEST_CASE("a task that is killed, leaves early or gives up is named", "[program run]") {
  Fixture fixture(3);
  fixture.run.take(protocol::Exited{Tid::task(1, 2), 12, false, false, "exited with status 5"}, fixture.verdict, now);
  CHECK(fixture.told() == "rank 1 (task t1.2, pid 12, host left) exited with status 5");
  fixture.run.take(protocol::Failed{Tid::task(2, 1), 21, Exit::usage, "no such thing"}, fixture.verdict, now);
  CHECK(fixture.told() == "rank 2 (task t2.1, pid 21, host right): no such thing");
  fixture.run.take(protocol::Exited{Tid::task(1, 1), 11, false, true, "was killed by signal 9 (SIGKILL)"},
                   fixture.verdict, now);
  CHECK(fixture.told() == "rank 0 (task t1.1, pid 11, host left) was killed by signal 9 (SIGKILL)");
}

TEST_CASE("tasks that wait in sends for each other are named in the order of their waiting", "[program run]") {
  Fixture fixture(3);
  fixture.run.take(protocol::Blocked{Tid::task(1, 2), 12, {{Tid::task(2, 1), 0}}, {}}, fixture.verdict, now);
  fixture.run.take(protocol::Blocked{Tid::task(7, 7), 99, {{Tid::task(1, 2), 0}}, {}}, fixture.verdict, now);
  CHECK_FALSE(fixture.verdict.failed());
  fixture.run.take(protocol::Blocked{Tid::task(2, 1), 21, {{Tid::task(1, 2), 0}}, {}}, fixture.verdict, now);
  CHECK_THAT(fixture.told(), Catch::StartsWith("rank 1 waits in send for rank 2, rank 2 for rank 1 to receive"));
}

TEST_CASE("who has waited in a send for a task that has ended is not stuck with it", "[program run]") {
  Fixture fixture(3);
  const Tid first = Tid::task(1, 1), second = Tid::task(1, 2), ended = Tid::task(2, 1);
  const auto block = [&](Tid task, Tid awaited) {
    fixture.run.take(protocol::Blocked{task, 0, {{awaited, 0}}, {}}, fixture.verdict, now);
  };
  fixture.run.set_watched(ended, true);
  block(ended, first);
  block(second, ended);
  const bool with_host = GENERATE(false, true);
  CAPTURE(with_host);
  if (with_host) (void)fixture.run.lose_host(1);
  else fixture.run.take(protocol::Exited{ended, 21, false, true, "was killed"}, fixture.verdict, now);
  block(first, second);
  block(ended, first);  // late
  CHECK_FALSE(fixture.verdict.failed());
}

TEST_CASE("what is heard of tasks of another run changes nothing", "[program run]") {
  Fixture fixture(1);
  CHECK_FALSE(fixture.run.has(Tid::task(1, 2)));
  fixture.run.take(protocol::Exited{Tid::task(1, 2), 12, false, true, "was killed"}, fixture.verdict, now);
  fixture.run.take(protocol::Failed{Tid::task(1, 2), 12, Exit::usage, "no"}, fixture.verdict, now);
  fixture.run.take_report(Tid::task(1, 2), "late");
  CHECK_FALSE(fixture.verdict.failed());
  CHECK(fixture.run.take_reports() == std::vector<std::string>{""});
}

TEST_CASE("a report is put together from its pieces, by rank", "[program run]") {
  Fixture fixture(2);
  fixture.run.take_report(Tid::task(1, 2), "two ");
  fixture.run.take_report(Tid::task(1, 1), "one");
  fixture.run.take_report(Tid::task(1, 2), "pieces");
  CHECK(fixture.run.take_reports() == std::vector<std::string>{"one", "two pieces"});
}

TEST_CASE("only processes that are not over are listed", "[program run]") {
  Fixture fixture(3);
  fixture.run.take(protocol::Ready{Tid::task(1, 1), 11, {}});
  fixture.run.take(protocol::Ready{Tid::task(2, 1), 21, {}});
  CHECK(fixture.run.pids() == std::vector<long>{11, 0, 21});
  CHECK(fixture.run.pids_on(0) == std::vector<pid_t>{11});
  CHECK(fixture.run.pids_on(2).empty());
  fixture.run.take(protocol::Exited{Tid::task(1, 1), 11, true, false, ""}, fixture.verdict, now);
  CHECK(fixture.run.pids() == std::vector<long>{0, 21});
  CHECK(fixture.run.pids_on(0).empty());
  // Nobody has told of the end of a task whose host is lost, expected or not.
  fixture.run.set_watched(Tid::task(2, 1), true);
  (void)fixture.run.lose_host(1);
  CHECK(fixture.run.pids() == std::vector<long>{0});
  CHECK(fixture.run.pids_on(1) == std::vector<pid_t>{21});
}

TEST_CASE("no number is used twice in a run; who wants more tasks than there are is told so", "[program run]") {
  std::vector<TaskHost> hosts = three_hosts();
  hosts[0].next_local = GENERATE(1, 60'000);  // numbers of earlier runs come before
  ProgramRun run(program_of(1), hosts);
  protocol::SpawnOrder order;
  order.tid = Tid::task(1, 1);
  order.count = 4096;
  order.host = "left";
  order.watched = true;
  std::vector<Tid> all = run.tasks_of(0);
  for (int i = 0; i < max_tasks_per_host / 4096; ++i) {
    const std::vector<Tid> spawned = run.tasks_of(run.add_world(order));
    all.insert(all.end(), spawned.begin(), spawned.end());
    (void)run.lose_host(0);
  }
  std::ranges::sort(all, {}, &Tid::value);
  CHECK(std::ranges::adjacent_find(all) == all.end());
  CHECK_THROWS_WITH(run.add_world(order), Contains("host left has numbers for 65534 tasks"));
}

TEST_CASE("where all tasks stand still is told by rank, but of those that are over", "[program run]") {
  Fixture fixture(4);
  for (const auto& [host, spawn] : fixture.run.spawns()) {
    for (const protocol::TaskEntry& task : spawn.tasks) fixture.run.take(protocol::Ready{task.tid, 1, {}});
  }
  CHECK(fixture.run.where_all_are().empty());
  CHECK_FALSE(fixture.run.all_have_said());
  fixture.run.take(protocol::Waits{.tid = Tid::task(2, 1), .text = "waits for rank 3 in a barrier"});
  fixture.run.take(protocol::Waits{.tid = Tid::task(1, 1), .text = "waits for a message"});
  fixture.run.take(protocol::Waits{.tid = Tid::task(9, 1), .text = "is of another run"});
  CHECK_FALSE(fixture.run.all_have_said());
  fixture.run.take(protocol::Exited{Tid::task(2, 2), 1, true, false, ""}, fixture.verdict, now);
  CHECK(fixture.run.where_all_are() ==
        ": rank 0 waits for a message; rank 1 computes, or does not look at messages; rank 2 waits for rank 3 in a "
        "barrier; rank 3 has ended");
  fixture.run.take(protocol::Waits{.tid = Tid::task(1, 2), .text = "waits for no message"});
  CHECK(fixture.run.all_have_said());
}

TEST_CASE("of many tasks that stand still, the first are told", "[program run]") {
  std::vector<TaskHost> hosts{{{"left", "127.0.0.1", 20}, "one"}};
  ProgramRun run(program_of(11), hosts);
  run.take(protocol::Waits{.tid = Tid::task(1, 1), .text = "waits"});
  CHECK_THAT(run.where_all_are(), Contains("; rank 7 computes") && Catch::EndsWith("; and 3 more"));
  Verdict verdict;
  for (int local = 6; local <= 11; ++local) {
    run.take(protocol::Exited{Tid::task(1, local), 1, true, false, ""}, verdict, now);
  }
  CHECK_THAT(run.where_all_are(), Contains("; rank 4 computes") && !Contains("; and") &&
                                      Catch::EndsWith("; rank 5, rank 6, rank 7, rank 8 and 2 more have ended"));
}
