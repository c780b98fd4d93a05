// Broadcasts by every multicast protocol, over real daemons and sockets.
#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"
#include "vm/multicast/table.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::vector<std::string> choices() {
  std::vector<std::string> names{std::string(multicast::automatic)};
  for (const multicast::Row& row : multicast::protocols()) names.emplace_back(row.name);
  return names;
}

}  // namespace

TEST_CASE("every multicast protocol broadcasts between hosts", "[broadcast][heavy]") {
  Machine machine({loopback_hosts(3, 2), "local"});
  for (const std::string& name : choices()) {
    CAPTURE(name);
    Machine::Program program = program_of("broadcasts", 6, "auto");
    program.multicast = name;
    REQUIRE_NOTHROW(machine.run(program));
  }
}

TEST_CASE("a root of multicasts that ends after all others ends", "[broadcast][heavy]") {
  Machine machine({loopback_hosts(3, 1), "local"});
  for (const std::string transport : {"direct", "daemon"}) {
    CAPTURE(transport);
    Machine::Program program = program_of("broadcasts last", 3, transport);
    program.multicast = "nak";
    REQUIRE_NOTHROW(machine.run(program));
  }
}

TEST_CASE("Comms conform when they broadcast by multicast", "[broadcast][heavy]") {
  Machine machine({loopback_hosts(4, 2), "local"});
  Machine::Program program = program_of("conformance", 8, "auto");
  program.multicast = multicast::automatic;
  REQUIRE_NOTHROW(machine.run(program));
}

TEST_CASE("an unknown multicast protocol ends the program as wrong usage", "[broadcast]") {
  Machine machine({});
  Machine::Program program = program_of("broadcasts", 2, "auto");
  program.multicast = "nank";
  CHECK_THROWS_WITH(machine.run(program), Catch::Contains("nank"));
}
