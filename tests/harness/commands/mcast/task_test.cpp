#include "harness/commands/mcast/task.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("mcast: hosts that multicast does not reach are named once, and copies only where there are any") {
  const std::array<std::string, 4> hosts{"b", "b", "c", "b"};
  std::array<McastRecord, 2> records;
  CHECK(unreached_text(hosts, records) == "multicast does not reach b, c: they get a copy each");
  records[0].chosen = "messages (one other host: one copy leaves this host either way)";
  CHECK(unreached_text(hosts, records) == "multicast does not reach b, c: they get a copy each");
  CHECK(unreached_text(std::span(hosts).first(2), records) ==
        "multicast does not reach b: it gets a copy of its own");
  records[1].chosen = records[0].chosen;
  CHECK(unreached_text(hosts, records) == "multicast does not reach b, c");
}
