#include "harness/session/machines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "vm/machine_topology.hpp"

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

TEST_CASE("machines: cores of hosts that are one computer count once") {
  std::array<HostFacts, 3> hosts{};
  hosts[0].computer = hosts[2].computer = "a";
  hosts[1].computer = "b";
  hosts[0].cores = 4;
  hosts[1].cores = 2;
  hosts[2].cores = 8;
  CHECK(cores_of(hosts) == 10);
  CHECK(cores_of(std::span(hosts).first(2)) == 6);
  CHECK(cores_of({}) == 0);
}

TEST_CASE("machines: the cores of some hosts or all are known where daemons tell of them") {
  Machine::Options options;
  options.hosts = parse_host_list("127.0.0.1,127.0.0.2");
  const Machines machines(options, std::array{std::string("direct")});
  for (const int host_count : {0, 1, 2}) CHECK(machines.cores(host_count) == usable_cores());
}
