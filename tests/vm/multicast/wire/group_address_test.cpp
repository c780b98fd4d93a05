#include "vm/multicast/wire/group_address.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::multicast;

TEST_CASE("a group's address is read as it was written", "[multicast]") {
  for (const auto authentication : {Authentication::none, Authentication::tag}) {
    for (const int ttl : {1, 32, max_ttl}) {
      const GroupAddress drawn = draw_group_address(authentication, ttl);
      const GroupAddress read = parse_group_address(drawn.text());
      CHECK(read.identifier == drawn.identifier);
      CHECK(read.address == drawn.address);
      CHECK(read.ttl == ttl);
      CHECK(read.authentication == authentication);
      CHECK(read.text() == drawn.text());
    }
  }
}

TEST_CASE("groups are drawn from the site's range, each anew", "[multicast]") {
  std::set<std::uint64_t> identifiers;
  std::set<std::string> addresses;
  for (int i = 0; i < 100; ++i) {
    const GroupAddress group = draw_group_address(Authentication::tag, 1);
    CHECK(group.address.host().starts_with("239.255."));
    CHECK(group.address.port() >= 61000);
    identifiers.insert(group.identifier);
    addresses.insert(group.address.text());
  }
  CHECK(identifiers.size() == 100);
  CHECK(addresses.size() > 90);
}

TEST_CASE("what is no group's address is refused in one line that names it", "[multicast]") {
  const std::string good = "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1:authenticated";
  CHECK(parse_group_address(good).text() == good);
  const auto text = GENERATE(
      as<std::string>{}, "", "1f3c90aa74d20e51", "@",
      "@:ttl=:", "1f3c90aa74d20e5@239.255.7.19:61044:ttl=1:authenticated",
      "1f3c90aa74d20e511@239.255.7.19:61044:ttl=1:authenticated",
      "1f3c90aa74d20e5x@239.255.7.19:61044:ttl=1:authenticated",
      "-f3c90aa74d20e51@239.255.7.19:61044:ttl=1:authenticated",
      "1f3c90aa74d20e51@239.254.7.19:61044:ttl=1:authenticated",
      "1f3c90aa74d20e51@10.0.0.1:61044:ttl=1:authenticated", "1f3c90aa74d20e51@[ff05::1]:61044:ttl=1:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:60999:ttl=1:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:65536:ttl=1:authenticated", "1f3c90aa74d20e51@239.255.7.19:ttl=1:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:61044:ttl=0:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:61044:ttl=256:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1x:authenticated",
      "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1:", "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1",
      "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1:authenticated ");
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_group_address(text), Catch::Contains("\"" + text + "\" is not a multicast group like"));
}

TEST_CASE("any change of a group's text is refused, or another group that is in range", "[multicast]") {
  std::mt19937 random(5);
  const std::string good = draw_group_address(Authentication::tag, 1).text();
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      text[random() % text.size()] = static_cast<char>(random() % 96 + 32);
    }
    try {
      const GroupAddress group = parse_group_address(text);
      CHECK(group.address.host().starts_with("239.255."));
      CHECK((group.ttl >= 1 && group.ttl <= max_ttl && group.address.port() >= 61000));
    } catch (const RunError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("each group of each machine has a key of its own", "[multicast]") {
  const Secret machine = make_secret();
  const GroupAddress group = draw_group_address(Authentication::tag, 1);
  GroupAddress other = group;
  ++other.identifier;
  CHECK(key_of(group, machine) == key_of(parse_group_address(group.text()), machine));
  CHECK(key_of(group, machine) != key_of(other, machine));
  CHECK(key_of(group, machine) != key_of(group, make_secret()));
  CHECK(key_of(group, machine) != machine);
}
