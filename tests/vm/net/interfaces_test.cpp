#include "vm/net/interfaces.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::net;
using Catch::Contains;

namespace {

const std::array some{Interface{"lo", "127.0.0.1", 8},        Interface{"docker0", "172.17.0.1", 16},
                      Interface{"eth0", "10.1.2.3", 24},      Interface{"ib0", "10.2.0.3", 16},
                      Interface{"eth0", "2001:db8:1::3", 64}, Interface{"eth0", "fe80::3%eth0", 64}};

}  // namespace

TEST_CASE("this host's interfaces have the loopback address among them", "[interfaces]") {
  const auto all = interfaces();
  CHECK(std::ranges::any_of(all, [](const Interface& one) { return one.address == "127.0.0.1"; }));
}

TEST_CASE("an interface is named by its name, its network or its address", "[interfaces]") {
  const auto [wanted, address] = GENERATE(table<std::string, std::string>({{"eth0", "10.1.2.3"},
                                                                           {"10.2.0.0/16", "10.2.0.3"},
                                                                           {"10.2.9.9/16", "10.2.0.3"},
                                                                           {"10.0.0.0/8", "10.1.2.3"},
                                                                           {"0.0.0.0/0", "172.17.0.1"},
                                                                           {"127.0.0.0/8", "127.0.0.1"},
                                                                           {"172.17.0.1", "172.17.0.1"},
                                                                           {"2001:db8::/32", "2001:db8:1::3"},
                                                                           {"fe80::/10", "fe80::3%eth0"},
                                                                           {"2001:db8:1::3", "2001:db8:1::3"}}));
  CAPTURE(wanted);
  CHECK(address_of_interface(wanted, some) == address);
}

TEST_CASE("what is no interface is refused with those that are there", "[interfaces]") {
  for (const char* wrong : {"eth1", "", "10.3.0.0/16", "10.1.2.3/33", "10.1.2.3/", "10.1.2.3/-1", "10.1.2/24", "x/8",
                            "2001:db9::/32", "::/129"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(address_of_interface(wrong, some), UsageError);
  }
  CHECK_THROWS_WITH(address_of_interface("eth1", some), Contains("eth1") && Contains("ib0 10.2.0.3/16"));
  CHECK_THROWS_WITH(address_of_interface("eth1", {}), Contains("none"));
}

TEST_CASE("the way to this host starts at this host", "[interfaces]") {
  CHECK(address_towards("127.0.0.1") == "127.0.0.1");
}

TEST_CASE("loopback addresses are known", "[interfaces]") {
  CHECK(is_loopback("127.0.0.1"));
  CHECK(is_loopback("127.0.1.1"));
  CHECK(is_loopback("::1"));
  CHECK_FALSE(is_loopback("128.0.0.1"));
  CHECK_FALSE(is_loopback("2001:db8::1"));
  CHECK_FALSE(is_loopback(""));
}
