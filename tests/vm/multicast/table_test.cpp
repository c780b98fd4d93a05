#include "vm/multicast/table.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string_view>

#include "stop_and_wait.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("every multicast protocol is complete and found by its name", "[multicast]") {
  REQUIRE_FALSE(multicast::protocols().empty());
  for (const multicast::Row& row : multicast::protocols()) {
    CAPTURE(row.name);
    CHECK_FALSE(row.description.empty());
    CHECK(row.make_sender != nullptr);
    CHECK(row.make_receiver != nullptr);
    CHECK(multicast::parse_protocol(row.name).row == &row);
    CHECK(std::ranges::count(multicast::protocols(), row.name, &multicast::Row::name) == 1);
  }
}

TEST_CASE("a protocol that a test adds is chosen by name and parameters like all others", "[multicast]") {
  const auto rows = protocols_and_toy();
  const auto choice = multicast::parse_protocol("stopwait:timeout=3", rows);
  CHECK(choice.row->name == "stopwait");
  CHECK(value_of(choice.parameters, "timeout", 0) == 3);
  CHECK_THROWS_WITH(multicast::parse_protocol("stopwait:poll=3", rows),
                    "protocol stopwait has no parameter \"poll\"; it has: timeout");
  CHECK_THROWS_WITH(
      multicast::parse_protocol("pigeon", rows),
      "unknown multicast protocol \"pigeon\"; known: fanout, tree, ack, nak, ring, lineartree, ipmcast, "
      "stopwait");
  constexpr std::array<std::string_view, 1> beside{"none"};
  CHECK_THROWS_WITH(multicast::parse_protocol("nne", rows, beside),
                    Catch::Contains("(did you mean none?)") && Catch::EndsWith("stopwait, none"));
  CHECK_THROWS_AS(multicast::parse_protocol("stopwait"), UsageError);
}

TEST_CASE("a parameter that has no effect beside others is refused, with what would be right", "[multicast]") {
  const auto refusal = [](const std::string& text) {
    try {
      (void)multicast::parse_protocol(text);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string no_block = "protocol nak: block has no effect without fec=on: add that, or leave block out";
  CHECK(refusal("nak:block=64") == no_block);
  CHECK(refusal("nak:fec=off:block=64") == no_block);
  CHECK(refusal("nak:fec=on:poll=8") ==
        "protocol nak: poll has no effect with fec=on, where each block asks: leave one of them out");
  CHECK(refusal("nak:suppress=receivers:fec=on") ==
        "protocol nak: suppress has no effect with fec=on, where each block asks: leave one of them out");
  for (const auto* right :
       {"nak:fec=on:block=64:window=100", "nak:poll=8:suppress=receivers", "nak:fec=off:poll=8"}) {
    CHECK(refusal(right).empty());
  }
}
