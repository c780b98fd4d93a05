#include "vm/system/pvm/pvm_places.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

HostSpec host(const std::string& name, const std::string& address, int slots) {
  return {name, address, slots, 0, "hosts:1"};
}

using Ranks = std::vector<Rank>;

}  // namespace

TEST_CASE("ranks of PVM's machine are those of place_ranks, each computer once") {
  const PvmPlaces places =
      pvm_places({host("here", "127.0.0.1", 1), host("b", "203.0.113.2", 2), host("here-too", "127.0.0.2", 1),
                  host("b-again", "203.0.113.2", 1), host("c", "203.0.113.3", 1), host("idle", "203.0.113.4", 1)},
                 6);
  CHECK(places.here == Ranks{0, 3});
  REQUIRE(places.others.size() == 2);
  CHECK(places.others[0].host.name == "b");
  CHECK(places.others[0].ranks == Ranks{1, 2, 4});
  CHECK(places.others[1].ranks == Ranks{5});
  CHECK(pvm_hostfile(places.others) == "b so=ms ip=203.0.113.2\nc so=ms ip=203.0.113.3\n");
}

TEST_CASE("a host that PVM cannot reach is an error that names it, unless it has no task") {
  const std::vector<HostSpec> unknown{host("here", "127.0.0.1", 2), host("nowhere", "", 1)};
  CHECK(pvm_places(unknown, 2).others.empty());
  CHECK_THROWS_AS(pvm_places(unknown, 3), UsageError);
  CHECK_THROWS_WITH(pvm_places(unknown, 3), Contains("hosts:1") && Contains("nowhere"));
  CHECK_THROWS_WITH(pvm_places({host("six", "2001:db8::1", 1)}, 1), Contains("IPv4"));
}

TEST_CASE("what PVM's first daemon says is a request for another one, or is not") {
  const auto start = parse_pvm_start("pvmd -S -d0x0 -nlab2 1 0a4d0001:855e 4080 2 0a4d0002:0000");
  REQUIRE(start.has_value());
  CHECK(start->host == "lab2");
  CHECK(start->arguments ==
        std::vector<std::string>{"-f", "-S", "-d0x0", "-nlab2", "1", "0a4d0001:855e", "4080", "2", "0a4d0002:0000"});
  for (const char* other :
       {"", "/tmp/pvmtmp000114.0", "*** Manual startup ***", "Login to \"lab2\" and type:", "Type response: Thanks",
        "%PVM_ROOT%\\lib\\WIN32\\pvmd3.exe -S -d0x0 -nlab2 1 0a4d0001:855e 4080 2 0a4d0002:0000", "pvmd -S"}) {
    INFO(other);
    CHECK_FALSE(parse_pvm_start(other).has_value());
  }
  CHECK(is_pvm_answer("ddpro<2316> arch<LINUX64> ip<0a4d0002:a7de> mtu<4080> dsig<4230209>"));
  CHECK_FALSE(is_pvm_answer("libpvm [pid17]: mksocs() bind: No space"));
}
