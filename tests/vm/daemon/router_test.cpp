#include "vm/daemon/router.hpp"

#include <catch2/catch.hpp>

#include "recording_port.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;

namespace {

/// The daemon of host 1 with two tasks, two other hosts and the console.
struct Fixture {
  Fixture() {
    router.set_console(console);
    router.add_host(2, host2);
    router.add_host(3, host3);
    router.add_task(Tid::task(1, 1), task1);
    router.add_task(Tid::task(1, 2), task2);
  }

  /// The ways out as (port, destination) pairs.
  std::vector<std::pair<Port*, Tid>> exits(Tid destination) {
    std::vector<std::pair<Port*, Tid>> found;
    for (const Router::Exit& exit : router.exits(destination)) found.emplace_back(exit.port, exit.destination);
    return found;
  }

  WaiterQueue ready;
  RecordingPort console{ready}, host2{ready}, host3{ready}, task1{ready}, task2{ready};
  Router router{1};
};

using Exits = std::vector<std::pair<Port*, Tid>>;
constexpr Tid group = Tid::group(1, 1);

}  // namespace

TEST_CASE("a packet goes to a task of this host, to another host or to the console", "[router]") {
  Fixture fixture;
  CHECK(fixture.exits(Tid::task(1, 2)) == Exits{{&fixture.task2, Tid::task(1, 2)}});
  CHECK(fixture.exits(Tid::task(3, 9)) == Exits{{&fixture.host3, Tid::task(3, 9)}});
  CHECK(fixture.exits(Tid::daemon(2)) == Exits{{&fixture.host2, Tid::daemon(2)}});
  CHECK(fixture.exits(Tid::console()) == Exits{{&fixture.console, Tid::console()}});
}

TEST_CASE("there is no way to who is not there", "[router]") {
  Fixture fixture;
  CHECK(fixture.exits(Tid::task(1, 3)).empty());
  CHECK(fixture.exits(Tid::task(9, 1)).empty());
  CHECK(fixture.exits(Tid::group(1, 7)).empty());
  Router lonely(1);
  CHECK(lonely.exits(Tid::console()).empty());
}

TEST_CASE("a group goes once to each other host and once to each task of this one", "[router]") {
  Fixture fixture;
  const std::vector<Tid> members{Tid::task(1, 2), Tid::task(2, 1), Tid::task(2, 5), Tid::task(3, 1)};
  const auto remote = fixture.router.open_group(group, members, 0);
  CHECK(remote == std::map<int, std::vector<Tid>>{{2, {Tid::task(2, 1), Tid::task(2, 5)}}, {3, {Tid::task(3, 1)}}});
  CHECK(fixture.exits(group) ==
        Exits{{&fixture.task2, Tid::task(1, 2)}, {&fixture.host2, group}, {&fixture.host3, group}});
}

TEST_CASE("a group that another daemon opened reaches the tasks of this host only", "[router]") {
  Fixture fixture;
  const std::vector<Tid> members{Tid::task(1, 1), Tid::task(1, 2), Tid::task(3, 1)};
  CHECK(fixture.router.open_group(Tid::group(2, 4), members, 2).empty());
  CHECK(fixture.exits(Tid::group(2, 4)) ==
        Exits{{&fixture.task1, Tid::task(1, 1)}, {&fixture.task2, Tid::task(1, 2)}});
}

TEST_CASE("members that are not there are left out", "[router]") {
  Fixture fixture;
  const std::vector<Tid> members{Tid::task(1, 2), Tid::task(1, 77), Tid::task(77, 1), Tid::console()};
  CHECK(fixture.router.open_group(group, members, 0).empty());
  CHECK(fixture.exits(group) == Exits{{&fixture.task2, Tid::task(1, 2)}});
}

TEST_CASE("opening a group again replaces its members", "[router]") {
  Fixture fixture;
  fixture.router.open_group(group, std::vector{Tid::task(1, 1), Tid::task(2, 1)}, 0);
  fixture.router.open_group(group, std::vector{Tid::task(1, 2)}, 0);
  CHECK(fixture.exits(group) == Exits{{&fixture.task2, Tid::task(1, 2)}});
}

TEST_CASE("a task that goes is reached no more, nor by its groups, and its own group goes", "[router]") {
  Fixture fixture;
  fixture.router.open_group(Tid::group(1, 1), std::vector{Tid::task(1, 2), Tid::task(2, 1)}, 0);
  fixture.router.open_group(Tid::group(1, 2), std::vector{Tid::task(1, 1)}, 0);
  fixture.router.remove_task(Tid::task(1, 2));
  CHECK(fixture.exits(Tid::task(1, 2)).empty());
  CHECK(fixture.exits(Tid::group(1, 1)) == Exits{{&fixture.host2, Tid::group(1, 1)}});
  CHECK(fixture.exits(Tid::group(1, 2)).empty());
  CHECK(fixture.exits(Tid::task(1, 1)).size() == 1);
  fixture.router.remove_task(Tid::task(1, 2));  // once more does nothing
}

TEST_CASE("a host that goes is reached no more, nor by groups, and the groups of its tasks go", "[router]") {
  Fixture fixture;
  fixture.router.open_group(group, std::vector{Tid::task(1, 2), Tid::task(2, 1), Tid::task(3, 1)}, 0);
  fixture.router.open_group(Tid::group(2, 4), std::vector{Tid::task(1, 1)}, 2);
  fixture.router.remove_host(2);
  CHECK(fixture.exits(Tid::task(2, 1)).empty());
  CHECK(fixture.exits(Tid::daemon(2)).empty());
  CHECK(fixture.exits(Tid::group(2, 4)).empty());
  CHECK(fixture.exits(group) == Exits{{&fixture.task2, Tid::task(1, 2)}, {&fixture.host3, group}});
  fixture.router.remove_host(2);  // once more does nothing
}

TEST_CASE("without tasks there are no groups", "[router]") {
  Fixture fixture;
  fixture.router.open_group(group, std::vector{Tid::task(1, 1), Tid::task(2, 1)}, 0);
  fixture.router.clear_groups();
  CHECK(fixture.exits(group).empty());
}

TEST_CASE("who waits for a task that goes is let go on", "[router]") {
  Fixture fixture;
  CountingWaiter waiter;
  fixture.task2.own_room().wait(waiter);
  fixture.router.remove_task(Tid::task(1, 2));
  fixture.ready.serve();
  CHECK(waiter.times == 1);
}

TEST_CASE("a waiter that is forgotten is not called", "[router]") {
  Fixture fixture;
  CountingWaiter waiter;
  RecordingPort* const ports[] = {&fixture.console, &fixture.host2, &fixture.task1};
  for (RecordingPort* port : ports) port->own_room().wait(waiter);
  fixture.router.forget(waiter);
  for (RecordingPort* port : ports) port->own_room().release_waiters();
  fixture.ready.serve();
  CHECK(waiter.times == 0);
}
