#include "harness/session/machines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/document/machine_info.hpp"
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

TEST_CASE("machines: where everything goes over message systems all hosts are named") {
  Machine::Options options;
  options.hosts = {{"here", "127.0.0.1", 2}, {"far", "192.0.2.1", 2}, {"unknown", "", 2}};
  const Machines machines(options, {});
  const MachineRecord record = machines.record();
  REQUIRE(record.hosts.size() == 3);
  CHECK(record.hosts[0] == local_host());
  CHECK(record.hosts[1].name == "far");
  CHECK(record.hosts[1].cpu.empty());
  CHECK(record.hosts[2].name == "unknown");
  for (const auto& [tasks, used] : {std::pair(1, 1), std::pair(2, 1), std::pair(3, 2), std::pair(9, 3)}) {
    CHECK(machines.hosts_used(tasks) == used);
  }
}

TEST_CASE("machines: hosts are recorded as they name themselves, not as the user does") {
  Machine::Options options;
  options.hosts = parse_host_list("127.0.0.1,127.0.0.2");
  const Machines machines(options, std::array{std::string("direct")});
  for (const HostRecord& host : machines.record().hosts) CHECK(host.name == local_host().name);
}

TEST_CASE("machines: a run is crowded where one computer has more threads than cores, whatever others have") {
  std::array<HostFacts, 3> hosts{};
  hosts[0].computer = hosts[2].computer = "a";
  hosts[1].computer = "b";
  hosts[0].cores = hosts[2].cores = 8;
  hosts[1].cores = 4;
  const auto crowded = [&hosts](const std::vector<int>& host_of_rank, int threads) {
    return are_crowded(hosts, host_of_rank, threads);
  };
  CHECK_FALSE(crowded({0, 0}, 4));
  CHECK(crowded({0, 0}, 5));
  CHECK_FALSE(crowded({0, 1, 2}, 4));
  CHECK(crowded({0, 1, 2}, 5));  // both of a's, and b's
  CHECK(crowded({0, 0, 2}, 3));
  CHECK_FALSE(crowded({0, 1, 2}, 1));
}

TEST_CASE("machines: a run is crowded by the hosts on which its tasks are placed") {
  const int cores = usable_cores();
  Machine::Options options;
  options.hosts = parse_host_list("127.0.0.1:2,127.0.0.2");
  const Machines machines(options, std::array{std::string("direct")});
  for (const int host_count : {0, 1, 2}) {
    CHECK_FALSE(machines.are_crowded(host_count, 1, cores));
    CHECK(machines.are_crowded(host_count, 1, cores + 1));
    CHECK(machines.are_crowded(host_count, 2, cores));  // on both hosts, which are one computer
  }
}
