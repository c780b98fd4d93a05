// Farms of real tasks (who computes what: lead_test.cpp).

#include "vm/farm/farm.hpp"

#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Reports = std::vector<std::string>;

TEST_CASE("farm: spawned tasks compute for their leader, report and leave") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    for (int round = 0; round < 3; ++round) {
      CHECK(machine.run(program_of("lead a farm", 1, "auto")) == Reports{"lost 0", "served", "served", "served"});
    }
  }
}

TEST_CASE("farm: a worker that dies takes nothing along") {
  for (const auto& hosts : {loopback_host(), two_hosts(2)}) {
    Machine machine({hosts, "local"});
    CHECK(machine.run(program_of("lead a farm with a death", 1, "auto")) ==
          Reports{"lost 1", "", "served", "served"});
  }
}

TEST_CASE("farm: a worker that does not come back is not waited for, and ended") {
  Machine machine({});
  CHECK(machine.run(program_of("lead a farm with one stuck", 1, "auto")) ==
        Reports{"lost 1", "", "served", "served"});
  CHECK(machine.task_pids().empty());
}

TEST_CASE("farm: one follows the other in a task") {
  Machine machine({});
  CHECK(machine.run(program_of("lead two farms", 1, "auto")) ==
        Reports{"lost 1lost 0", "", "served", "served", "served", "served", "served"});
}
