#include "vm/daemon/place.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using Catch::Contains;

namespace {

protocol::Bootstrap bootstrap_of(std::vector<protocol::HostName> hosts, std::string interface = "") {
  return {.version = "1",
          .console = "127.0.0.1:4000",
          .secret = "ab",
          .interface = std::move(interface),
          .hosts = std::move(hosts)};
}

}  // namespace

TEST_CASE("a daemon started alone is on the host that it is told", "[place]") {
  const Place place = find_place(bootstrap_of({{3, "c", "127.0.0.7"}}), 12);
  CHECK(place.host == 3);
  CHECK(place.name == "c");
  CHECK(place.address == "127.0.0.7");
}

TEST_CASE("daemons started together are on the hosts of their ranks", "[place]") {
  const auto bootstrap = bootstrap_of({{3, "c", "127.0.0.7"}, {5, "d", "127.0.0.8"}});
  CHECK(find_place(bootstrap, 1).host == 5);
  CHECK(find_place(bootstrap, 1).address == "127.0.0.8");
  CHECK_THROWS_AS(find_place(bootstrap, std::nullopt), UsageError);
  CHECK_THROWS_WITH(find_place(bootstrap, 2), Contains("2 hosts") && Contains("process 2"));
  CHECK_THROWS_AS(find_place(bootstrap, -1), UsageError);
}

TEST_CASE("a daemon binds to the address that it has: of the interface, the hostfile, or on the way to the console",
          "[place]") {
  CHECK(find_place(bootstrap_of({{3, "c", "127.0.0.7"}}, "lo"), 0).address == "127.0.0.1");
  CHECK(find_place(bootstrap_of({{3, "c", ""}}), 0).address == "127.0.0.1");
  CHECK(find_place(bootstrap_of({{3, "c", "192.0.2.7"}}), 0).address == "127.0.0.1");
  CHECK_THROWS_WITH(find_place(bootstrap_of({{3, "c", ""}}, "no-such"), 0), Contains("no-such") && Contains("lo"));
}

TEST_CASE("the rank among processes started together is Slurm's or mpirun's", "[place]") {
  for (const char* name : {"SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) ::unsetenv(name);
  CHECK(rank_in_environment() == std::nullopt);
  ::setenv("PMIX_RANK", "5", 1);
  CHECK(rank_in_environment() == 5);
  ::setenv("SLURM_PROCID", "2", 1);
  CHECK(rank_in_environment() == 2);
  ::setenv("SLURM_PROCID", "two", 1);
  CHECK(rank_in_environment() == 5);
  for (const char* name : {"SLURM_PROCID", "PMIX_RANK"}) ::unsetenv(name);
}
