#include "vm/daemon/place.hpp"

#include <stdlib.h>
#include <sys/utsname.h>

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
          .rank_variable = {},
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

TEST_CASE("the rank among processes started together is that of the variable which their starter has named",
          "[place]") {
  CHECK(rank_in_environment("") == std::nullopt);
  CHECK(rank_in_environment("NASVM_TEST_RANK") == std::nullopt);
  ::setenv("NASVM_TEST_RANK", "5", 1);
  CHECK(rank_in_environment("NASVM_TEST_RANK") == 5);
  ::setenv("NASVM_TEST_RANK", "two", 1);
  CHECK(rank_in_environment("NASVM_TEST_RANK") == std::nullopt);
  ::unsetenv("NASVM_TEST_RANK");
}

TEST_CASE("the name of this computer says more than a rank", "[place]") {
  utsname system{};
  REQUIRE(::uname(&system) == 0);
  const std::string own = system.nodename;
  const auto bootstrap = bootstrap_of({{3, "c", ""}, {4, own, ""}, {5, "d", ""}});
  CHECK(find_place(bootstrap, 0).host == 4);
  CHECK(find_place(bootstrap, 2).host == 4);
  CHECK(find_place(bootstrap_of({{3, own, ""}, {4, own, ""}}), 1).host == 4);
}

TEST_CASE("a daemon takes no address of another family than the console's", "[place]") {
  CHECK(find_place(bootstrap_of({{3, "c", "::1"}}), 0).address == "127.0.0.1");
}
