#include "vm/system/table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "vm/status.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using Catch::Matchers::Contains;

namespace {

Parameters parameters_of(const std::string& order) { return system_of(order).value().parameters; }

}  // namespace

TEST_CASE("every message system in the table is complete and found by its name", "[systems]") {
  REQUIRE_FALSE(message_systems().empty());
  for (const SystemRow& row : message_systems()) {
    CAPTURE(row.name);
    CHECK_FALSE(row.description.empty());
    CHECK_FALSE(row.packages.empty());
    CHECK(row.starter != nullptr);
    CHECK(find_system(row.name) == &row);
    CHECK(std::ranges::count(message_systems(), row.name, &SystemRow::name) == 1);
    CHECK(find_transport(row.name) == nullptr);
    for (const ParameterRow& parameter : row.parameters) CHECK(parameter.least < parameter.most);
  }
  CHECK(find_system("pigeon") == nullptr);
  CHECK(find_system("direct") == nullptr);
}

TEST_CASE("an order names transports or a message system", "[systems]") {
  for (const char* order : {"auto", "direct", "shm+daemon:spin=0"}) {
    CAPTURE(order);
    CHECK_FALSE(is_message_system(order));
  }
  for (const SystemRow& row : message_systems()) {
    CAPTURE(row.name);
    CHECK(is_message_system(row.name));
    CHECK(system_of(row.name)->row == &row);
    CHECK(system_of(row.name)->parameters.empty());
  }
}

TEST_CASE("a message system stands alone", "[systems]") {
  for (const SystemRow& row : message_systems()) {
    const std::string name(row.name);
    for (const std::string& order : {name + "+direct", "direct+" + name, name + "+" + name, "auto+" + name}) {
      CAPTURE(order);
      CHECK_THROWS_WITH(system_of(order), Contains("transport " + name) && Contains("stands alone"));
    }
  }
}

TEST_CASE("an order that nobody knows is refused, with the names of transports and message systems", "[systems]") {
  for (const char* wrong : {"", "pigeon", "Mpi", "direct+pigeon", " pvm"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(system_of(wrong), UsageError);
    CHECK_THROWS_WITH(system_of(wrong), Contains("known: shm, direct, daemon, mpi, pvm, auto"));
  }
}

TEST_CASE("parameters may be words", "[systems]") {
  CHECK(parameters_of("mpi:collectives=ours") == Parameters{{"collectives", 1}});
  CHECK(parameters_of("mpi:collectives=mpi:over=tcp") == Parameters{{"collectives", 0}, {"over", 1}});
  for (const char* wrong : {"mpi:collectives=theirs", "mpi:collectives", "mpi:collectives=", "mpi:collectives=1"}) {
    CHECK_THROWS_WITH(system_of(wrong), Contains("mpi, ours"));
  }
  CHECK_THROWS_AS(system_of("mpi:over=tcp:over=tcp"), UsageError);
  CHECK_THROWS_WITH(system_of("mpi:wings=2"), Contains("transport mpi has no parameter \"wings\""));
}

TEST_CASE("a parameter may be a user of this system", "[systems]") {
  CHECK(parameters_of("pvm:user=root") == Parameters{{"user", 0}});
  CHECK_THROWS_WITH(system_of("pvm:user=no such user"), Contains("there is no such user"));
  CHECK_THROWS_AS(system_of("pvm:user="), UsageError);
}

TEST_CASE("every parameter of a message system is described", "[systems]") {
  for (const SystemRow& row : message_systems()) {
    for (const ParameterRow& parameter : row.parameters) {
      CHECK_THAT(describe_system_parameters(),
                 Contains("  " + std::string(row.name) + ":" + std::string(parameter.name) + "="));
    }
  }
}
