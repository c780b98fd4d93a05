#include "harness/session/machines.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace nasvm;
using Catch::Contains;

TEST_CASE("machines: options of daemons are refused where everything goes over message systems") {
  const std::vector<std::string> transports{"mpi", "pvm:route=direct"};
  Machine::Options copied;
  copied.copy = true;
  CHECK_THROWS_WITH(Machines(copied, transports), Contains("--copy with transport mpi, pvm:route=direct"));
  Machine::Options elsewhere;
  elsewhere.interface = "nosuch0";
  CHECK_THROWS_AS(Machines(elsewhere, transports), UsageError);
  CHECK_THROWS_WITH(Machines(elsewhere, transports), Contains("--interface with transport mpi"));
}
