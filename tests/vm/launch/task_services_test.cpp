#include "vm/launch/task_services.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using namespace std::chrono_literals;
using Catch::Contains;
using Tids = std::vector<Tid>;

namespace {

constexpr Verdict::TimePoint now{1000s};
constexpr Tid first = Tid::task(1, 1), second = Tid::task(2, 1);  // the first world

struct Told {
  std::size_t host;
  protocol::Message message;
};

/// A program of two tasks on two hosts, which run.
struct Fixture {
  Fixture() {
    join(first);
    join(second);
  }

  void join(Tid task) {
    run.take(protocol::Ready{task, 7, {}});
    services.joined();
  }
  void end(Tid task, bool clean) {
    const protocol::Exited exited{task, 7, clean, !clean, clean ? "ended with status 0" : "was killed by signal 9"};
    run.take(exited, verdict, now);
    services.ended(exited);
  }
  protocol::SpawnOrder order(int count) const {
    protocol::SpawnOrder order;
    order.tid = first;
    order.setup = "work";
    order.count = count;
    return order;
  }
  /// Spawns two that join: t1.2 and t2.2.
  void spawn(bool watched) {
    auto asked = order(2);
    asked.watched = watched;
    services.take(asked, now);
    join(third);
    join(fourth);
    told.clear();
  }
  /// Spawns two whose ends are watched, of which t1.2 alone joins.
  void spawn_half() {
    auto asked = order(2);
    asked.watched = true;
    services.take(asked, now);
    join(third);
    told.clear();
  }
  /// What was told of that kind, and forgets all.
  template <typename Kind>
  std::vector<Kind> take() {
    std::vector<Kind> found;
    for (const Told& one : told) {
      if (const auto* content = std::get_if<Kind>(&one.message)) found.push_back(*content);
    }
    told.clear();
    return found;
  }

  static constexpr Tid third = Tid::task(1, 2), fourth = Tid::task(2, 2);
  std::vector<TaskHost> hosts{{{"left", "127.0.0.1", 1}, "one"}, {{"right", "127.0.0.2", 1}, "one"}};
  Machine::Program program{.path = "/bin/program",
                           .arguments = {"task"},
                           .environment = {},
                           .size = 2,
                           .pair_orders = {{0, 1, "daemon"}},
                           .setup = "lead"};
  ProgramRun run{program, hosts};
  Verdict verdict;
  std::vector<Told> told;
  TaskServices services{run, [this](std::size_t host, const protocol::Message& message) {
                          told.push_back({host, message});
                        }};
};

}  // namespace

TEST_CASE("spawned tasks go where the fewest are, and know their parent", "[task services]") {
  Fixture fixture;
  fixture.services.take(fixture.order(3), now);
  REQUIRE(fixture.told.size() == 2);
  const auto spawns = fixture.take<protocol::Spawn>();
  CHECK(spawns[0].tasks == std::vector<protocol::TaskEntry>{{Tid::task(1, 2), 0, 0}, {Tid::task(1, 3), 2, 2}});
  CHECK(spawns[1].tasks == std::vector<protocol::TaskEntry>{{Tid::task(2, 2), 1, 1}});
  for (const auto& spawn : spawns) {
    CHECK(spawn.parent == first);
    CHECK(spawn.program == "/bin/program");
    CHECK(spawn.arguments == std::vector<std::string>{"task"});
    CHECK(spawn.setup.program == "work");
    CHECK(spawn.setup.pairs.empty());
    CHECK(spawn.size == 3);
    CHECK(spawn.size_here == 3);
    CHECK(spawn.load.tasks == 5);
  }
}

TEST_CASE("spawned tasks begin together, and then who asked is answered", "[task services]") {
  Fixture fixture;
  fixture.services.take(fixture.order(2), now);
  fixture.told.clear();
  fixture.join(Fixture::fourth);
  CHECK(fixture.told.empty());
  fixture.join(Fixture::third);
  REQUIRE(fixture.told.size() == 3);
  CHECK(std::get<protocol::Start>(fixture.told[0].message).members.size() == 2);
  CHECK(fixture.told[1].host == 1);
  const auto answer = std::get<protocol::Answer>(fixture.told[2].message);
  CHECK(answer.task == first);
  CHECK(answer.tids == Tids{Fixture::third, Fixture::fourth});
  CHECK(answer.error.empty());
}

TEST_CASE("a task that cannot be started fails the call, which ends what it has started", "[task services]") {
  Fixture fixture;
  fixture.spawn_half();
  const auto refuse = [&](Tid task) {
    fixture.run.take(protocol::NotStarted{task, Exit::broken, "no such program"});
    fixture.services.not_started(task, "daemon of host right: no such program", Exit::broken);
  };
  refuse(Fixture::fourth);
  REQUIRE(fixture.told.size() == 2);
  CHECK(std::get<protocol::End>(fixture.told[0].message).task == Fixture::third);
  const auto answer = std::get<protocol::Answer>(fixture.told[1].message);
  CHECK(answer.task == first);
  CHECK(answer.tids.empty());
  CHECK(answer.error == "spawn: daemon of host right: no such program");
  CHECK(answer.exit == Exit::broken);
  fixture.told.clear();
  fixture.end(Fixture::third, false);
  for (const auto& gone : fixture.take<protocol::Gone>()) CHECK_FALSE(gone.asked);
  CHECK_FALSE(fixture.verdict.failed());
  refuse(Fixture::third);  // nobody waits for its world any more
  CHECK(fixture.take<protocol::Answer>().empty());
}

TEST_CASE("nothing is spawned once the first world is over", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.end(first, true);
  fixture.end(second, true);
  fixture.services.end_spawned();
  fixture.told.clear();
  const auto live = fixture.run.live();
  auto order = fixture.order(1);
  order.tid = Fixture::third;
  fixture.services.take(order, now);
  CHECK(fixture.run.live() == live);
  REQUIRE(fixture.told.size() == 1);
  CHECK_THAT(std::get<protocol::Answer>(fixture.told[0].message).error, Contains("the run is over"));
}

TEST_CASE("in a run that is given up nothing is spawned, and nothing begins", "[task services]") {
  Fixture fixture;
  fixture.spawn_half();
  fixture.services.stop();
  fixture.join(Fixture::fourth);
  CHECK(fixture.told.empty());
  const auto live = fixture.run.live();
  fixture.services.take(fixture.order(1), now);
  CHECK(fixture.run.live() == live);
  REQUIRE(fixture.told.size() == 1);
  CHECK_THAT(std::get<protocol::Answer>(fixture.told[0].message).error, Contains("the run is over"));
}

TEST_CASE("a task can be spawned on a host by name", "[task services]") {
  Fixture fixture;
  auto order = fixture.order(2);
  order.host = "right";
  fixture.services.take(order, now);
  CHECK(fixture.take<protocol::Spawn>().at(0).tasks.size() == 2);
  order.host = "middle";
  fixture.services.take(order, now);
  const auto answer = fixture.take<protocol::Answer>().at(0);
  CHECK(answer.error == "spawn: there is no host \"middle\"; the machine has: left, right");
  CHECK(answer.exit == Exit::usage);
}

TEST_CASE("the death of a spawned task fails the run when nobody watches it", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.end(Fixture::fourth, false);
  CHECK_THROWS_WITH(fixture.verdict.pronounce(),
                    Contains("rank 1 of those that t1.1 has spawned (task t2.2, pid 7, host right) was killed"));
}

TEST_CASE("who watches is told of an end, and the run goes on", "[task services]") {
  Fixture fixture;
  fixture.spawn(true);
  fixture.services.gave_up(protocol::Failed{Fixture::fourth, 7, Exit::broken, "out of memory"});
  fixture.run.take(protocol::Failed{Fixture::fourth, 7, Exit::broken, "out of memory"}, fixture.verdict, now);
  fixture.end(Fixture::fourth, false);
  CHECK_FALSE(fixture.verdict.failed());
  const auto gone = fixture.take<protocol::Gone>();
  REQUIRE(gone.size() == 3);  // all that may have something under way to it
  for (const auto& told : gone) {
    CHECK(told.gone == Fixture::fourth);
    CHECK(told.asked == (told.task == first));
    CHECK(told.text == "out of memory");
    CHECK_FALSE(told.clean);
  }
}

TEST_CASE("a watch on what has ended or never was is answered at once", "[task services]") {
  Fixture fixture;
  fixture.spawn(true);
  fixture.end(Fixture::fourth, true);
  fixture.told.clear();
  fixture.services.take(protocol::Watch{second, 7, {Fixture::fourth, Tid::task(1, 99)}, false}, now);
  const auto gone = fixture.take<protocol::Gone>();
  REQUIRE(gone.size() == 2);
  CHECK(gone[0] == protocol::Gone{second, Fixture::fourth, false, true, "had ended before"});
  CHECK(gone[1].text == "is no task of this run");
}

TEST_CASE("a watched task may die where it did not before", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.services.take(protocol::Watch{second, 7, {Fixture::third}, false}, now);
  CHECK(fixture.take<protocol::Answer>().at(0).task == second);
  fixture.end(Fixture::third, false);
  CHECK_FALSE(fixture.verdict.failed());
}

TEST_CASE("tasks that leave together are not told of each other", "[task services]") {
  Fixture fixture;
  fixture.end(first, true);
  CHECK(fixture.told.empty());
}

TEST_CASE("of a task that leaves alone, or is killed on purpose, its siblings are told", "[task services]") {
  Fixture fixture;
  const bool killed = GENERATE(false, true);
  CAPTURE(killed);
  if (killed) fixture.services.take(protocol::KillOrder{first, 7, second}, now);
  fixture.told.clear();
  protocol::Exited exited{second, 7, !killed, killed, "was killed by signal 9"};
  exited.alone = !killed;
  fixture.run.take(exited, fixture.verdict, now);
  fixture.services.ended(exited);
  CHECK(fixture.take<protocol::Gone>() ==
        std::vector<protocol::Gone>{{first, second, !killed, false, "was killed by signal 9", true}});
  CHECK_FALSE(fixture.verdict.failed());
}

TEST_CASE("a watcher that has gone answers for nobody any more", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.services.take(protocol::Watch{second, 7, {Fixture::third}, false}, now);
  fixture.end(second, true);
  fixture.end(Fixture::third, false);
  CHECK(fixture.verdict.failed());
}

TEST_CASE("nobody watches itself", "[task services]") {
  Fixture fixture;
  fixture.services.take(protocol::Watch{second, 7, {second}, false}, now);
  CHECK_THAT(fixture.take<protocol::Answer>().at(0).error, Contains("no task can be told of its own end"));
  fixture.end(second, false);
  CHECK(fixture.verdict.failed());
}

TEST_CASE("watchers of a host's tasks that were on that host do not save the run", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.services.take(protocol::Watch{Fixture::fourth, 7, {second}, false}, now);
  fixture.services.take(protocol::Watch{first, 7, {Fixture::fourth}, false}, now);
  CHECK_FALSE(fixture.services.host_lost(1, "host right does not answer"));
}

TEST_CASE("a world does not wait for another that takes longer to join", "[task services]") {
  Fixture fixture;
  fixture.services.take(fixture.order(1), now);
  auto second_order = fixture.order(1);
  second_order.tid = second;
  fixture.services.take(second_order, now);
  fixture.told.clear();
  fixture.join(Tid::task(2, 2));
  const auto answer = fixture.take<protocol::Answer>().at(0);
  CHECK(answer.task == second);
  CHECK(answer.tids == Tids{Tid::task(2, 2)});
}

TEST_CASE("a world that does not join is given up", "[task services]") {
  Fixture fixture;
  fixture.services.take(fixture.order(1), now);
  fixture.told.clear();
  fixture.services.look(now + TaskServices::join_patience - 1s);
  CHECK(fixture.told.empty());
  fixture.services.look(now + TaskServices::join_patience);
  REQUIRE(fixture.told.size() == 2);
  CHECK(std::get<protocol::End>(fixture.told[0].message).task == Fixture::third);
  CHECK_THAT(std::get<protocol::Answer>(fixture.told[1].message).error, Contains("within 120 s"));
  fixture.end(Fixture::third, false);
  CHECK_FALSE(fixture.verdict.failed());
}

TEST_CASE("no more tasks are spawned than the hosts take", "[task services]") {
  Fixture fixture;
  for (TaskHost& host : fixture.hosts) host.spec.max_slots = 2;
  fixture.services.take(fixture.order(3), now);
  CHECK(fixture.take<protocol::Answer>().at(0).error ==
        "spawn: 3 tasks are more than the hosts take: max_slots permits 2");
  fixture.services.take(fixture.order(2'000'000'000), now);
  CHECK_THAT(fixture.take<protocol::Answer>().at(0).error, Contains("1 to 4096 can"));
  CHECK(fixture.run.worlds() == 1);
}

TEST_CASE("a task can be killed, and that fails nothing", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.services.take(protocol::KillOrder{first, 7, Fixture::third}, now);
  REQUIRE(fixture.told.size() == 2);
  CHECK(fixture.told[0].host == 0);
  CHECK(std::get<protocol::End>(fixture.told[0].message).task == Fixture::third);
  fixture.end(Fixture::third, false);
  CHECK_FALSE(fixture.verdict.failed());
  fixture.told.clear();
  fixture.services.take(protocol::KillOrder{first, 7, Fixture::third}, now);  // has ended
  CHECK(fixture.take<protocol::End>().empty());
  fixture.services.take(protocol::KillOrder{first, 7, Tid::task(1, 99)}, now);
  CHECK_THAT(fixture.take<protocol::Answer>().at(0).error, Contains("there is no task t1.99"));
}

TEST_CASE("a host whose tasks are all watched may be lost", "[task services]") {
  Fixture fixture;
  fixture.services.take(protocol::Watch{first, 7, {second}, true}, now);
  fixture.told.clear();
  CHECK(fixture.services.host_lost(1, "host right does not answer"));
  const auto gone = fixture.take<protocol::Gone>();
  REQUIRE(gone.size() == 2);
  CHECK(gone[0] == protocol::Gone{first, second, false, true, "host right does not answer", true});
  CHECK(gone[1].gone == Tid::daemon(2));
  fixture.hosts[1].lost = "host right does not answer";
  fixture.services.take(fixture.order(2), now);
  CHECK(fixture.take<protocol::Spawn>().size() == 1);  // all on the other host
}

TEST_CASE("a host with a task that nobody watches may not be lost", "[task services]") {
  Fixture fixture;
  CHECK_FALSE(fixture.services.host_lost(1, "host right does not answer"));
}

TEST_CASE("a spawned world begins without those that were lost before they joined", "[task services]") {
  Fixture fixture;
  fixture.spawn_half();
  fixture.end(Fixture::fourth, false);
  const auto told = fixture.told;
  CHECK(fixture.take<protocol::Answer>().size() == 1);
  CHECK(std::ranges::count_if(
            told, [](const Told& one) { return std::holds_alternative<protocol::Start>(one.message); }) == 2);
}

TEST_CASE("a barrier that cannot be complete any more is an error for those in it", "[task services]") {
  Fixture fixture;
  for (const Tid task : {first, second}) fixture.services.take(protocol::GroupCall{task, 7, "join", "all", 0}, now);
  CHECK(fixture.take<protocol::Answer>().at(1).number == 1);
  fixture.services.take(protocol::GroupCall{first, 7, "barrier", "all", 2}, now);
  CHECK(fixture.told.empty());
  fixture.end(second, false);
  const auto answer = fixture.take<protocol::Answer>().at(0);
  CHECK(answer.task == first);
  CHECK(answer.error == "barrier of group \"all\": t2.1 has ended");
}

TEST_CASE("what is spawned ends with the run", "[task services]") {
  Fixture fixture;
  fixture.spawn(false);
  fixture.end(first, true);
  fixture.end(second, true);
  CHECK(fixture.run.all_over());
  fixture.told.clear();
  fixture.services.end_spawned();
  CHECK(fixture.take<protocol::End>().size() == 2);
  fixture.end(Fixture::third, false);
  fixture.end(Fixture::fourth, false);
  CHECK(fixture.run.live().empty());
  CHECK_FALSE(fixture.verdict.failed());
}
