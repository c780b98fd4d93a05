#include "vm/multicast/automatic.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "vm/multicast/table.hpp"

using namespace nasvm;
using namespace nasvm::multicast;

namespace {

struct Expected {
  Situation situation;
  std::string_view rule;
  std::string_view protocol;
};

/// At least one for each rule, and the neighbours of each border.
const Expected table[] = {
    {{0, 10, 9}, "nothing to say", by_messages},
    {{1 << 20, 1, 0}, "one host", by_messages},
    {{1 << 20, 2, 1}, "one other host", by_messages},
    {{1 << 20, 31, 0}, "multicast reaches fewer than two", by_messages},
    {{1 << 20, 31, 1}, "multicast reaches fewer than two", by_messages},
    {{512, 3, 2}, "short, two other hosts", by_messages},
    {{513, 3, 2}, "anything else", "nak"},
    {{1, 4, 3}, "anything else", "nak"},
    {{1 << 20, 31, 2}, "anything else", "nak"},
    {{64 << 20, 31, 30}, "anything else", "nak"},
};

}  // namespace

TEST_CASE("the automatic choice follows its table of rules", "[multicast]") {
  std::set<std::string_view> seen;
  for (const Expected& expected : table) {
    CAPTURE(expected.situation.bytes, expected.situation.hosts, expected.situation.reached);
    const Rule& rule = automatic_choice(expected.situation);
    CHECK(rule.when == expected.rule);
    CHECK(rule.protocol == expected.protocol);
    seen.insert(rule.when);
  }
  for (const Rule& rule : automatic_rules()) CHECK(seen.contains(rule.when));
}

TEST_CASE("every rule names a protocol of the table or messages, and says why", "[multicast]") {
  for (const Rule& rule : automatic_rules()) {
    CAPTURE(rule.when);
    CHECK_FALSE(rule.why.empty());
    // A group has one protocol (vm/broadcast/multicast_broadcasts.hpp): there are no two to choose from.
    CHECK((rule.protocol == by_messages || rule.protocol == automatic_protocol));
    if (rule.protocol != by_messages) CHECK_NOTHROW(parse_protocol(rule.protocol));
  }
}

TEST_CASE("some rule applies whatever the situation", "[multicast]") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 40}) {
    for (int hosts = 1; hosts < 40; ++hosts) {
      for (int reached = 0; reached < hosts; ++reached)
        CHECK_FALSE(automatic_choice({bytes, hosts, reached}).why.empty());
    }
  }
}
