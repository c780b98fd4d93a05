// Requests between real tasks, over every transport (the logic: service_test.cpp).

#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

std::vector<std::string> transport_orders() {
  std::vector<std::string> orders{"auto", "direct+daemon"};
  for (const TransportRow& row : transports()) orders.emplace_back(row.name);
  return orders;
}

}  // namespace

TEST_CASE("requests and their answers arrive over every transport", "[service][heavy]") {
  const std::string body = GENERATE("ask everybody", "ask with little room", "serve while waiting");
  for (const auto& hosts : {loopback_hosts(1, 8), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    for (const std::string& order : transport_orders()) {
      for (const int ranks : {2, 3, 5}) {
        INFO(body << ", " << hosts.size() << " hosts, " << order << ", " << ranks << " ranks");
        REQUIRE_NOTHROW(machine.run(program_of(body, ranks, order)));
      }
    }
  }
}

TEST_CASE("a service that goes when its task has left does no harm", "[service]") {
  const std::string body = GENERATE("finish before the service", "depart before the service",
                                    "finish before the service in threads", "depart before the service in threads");
  CAPTURE(body);
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(program_of(body, 3, "auto")));
}

TEST_CASE("handlers run in a thread of their own, over every transport", "[service][heavy]") {
  const std::string body = GENERATE("ask everybody in threads", "serve while computing");
  for (const auto& hosts : {loopback_hosts(1, 8), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    for (const std::string& order : transport_orders()) {
      for (const int ranks : {2, 3}) {
        INFO(body << ", " << hosts.size() << " hosts, " << order << ", " << ranks << " ranks");
        REQUIRE_NOTHROW(machine.run(program_of(body, ranks, order)));
      }
    }
  }
}

TEST_CASE("requests to several endpoints arrive over every transport, among others", "[service][heavy]") {
  const std::string body = GENERATE("ask all at once", "multicast beside a request");
  for (const auto& hosts : {loopback_hosts(1, 8), two_hosts(3)}) {
    Machine machine({hosts, "local"});
    for (const std::string& order : transport_orders()) {
      for (const int ranks : {3, 5}) {
        INFO(body << ", " << hosts.size() << " hosts, " << order << ", " << ranks << " ranks");
        REQUIRE_NOTHROW(machine.run(program_of(body, ranks, order)));
      }
    }
  }
}

TEST_CASE("a task asks itself, over whatever transports there are", "[service]") {
  Machine machine({});
  for (const std::string& order : transport_orders())
    REQUIRE_NOTHROW(machine.run(program_of("ask everybody", 1, order)));
}

TEST_CASE("a startpoint changes its method, and nothing overtakes", "[service]") {
  Machine machine({two_hosts(2), "local"});
  const auto reports = machine.run(program_of("ask by each method", 2, "auto"));
  CHECK(reports == std::vector<std::string>{"shm direct daemon ", "shm direct daemon "});
  CHECK(machine.run(program_of("ask by each method", 3, "direct+daemon"))[0] == "direct daemon ");
}

TEST_CASE("a task serves while what it has sent is taken by nobody", "[service]") {
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(program_of("serve while sending", 2, "daemon:buffer=1M")));
}

TEST_CASE("who asks a task that does not serve is stopped, over every transport", "[service]") {
  Machine machine({});
  for (const TransportRow& row : transports()) {
    INFO(row.name);
    REQUIRE_NOTHROW(machine.run(program_of("ask one that does not serve", 2, row.name)));
  }
}

TEST_CASE("the failure of a handler in another task is told to who asked", "[service]") {
  Machine machine({two_hosts(1), "local"});
  CHECK(machine.run(program_of("fail at the asked", 2, "auto"))[0] ==
        "a request failed: handler \"fail\" of endpoint 1 of t2.1: the disk is full");
}

TEST_CASE("a handler that would wait for a message fails", "[service]") {
  Machine machine({two_hosts(1), "local"});
  CHECK_THAT(machine.run(program_of("wait in a handler", 2, "auto"))[0],
             Contains("handler \"wait\" of endpoint 1 of t2.1: a handler cannot wait"));
}

TEST_CASE("tasks of other worlds are asked through the daemons", "[service]") {
  Machine machine({two_hosts(2), "local"});
  for (const char* order : {"auto", "daemon"}) REQUIRE_NOTHROW(machine.run(program_of("ask strangers", 1, order)));
}

TEST_CASE("a task that dies of a request does not hold up who asked", "[service]") {
  Machine machine({two_hosts(1), "local"});
  CHECK_THAT(machine.run(program_of("outlive one that was asked", 1, "auto"))[0],
             Contains("has ended: nobody serves"));
}
