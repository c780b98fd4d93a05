#include "vm/transport/table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "vm/status.hpp"

using namespace nasvm;
using Names = std::vector<std::string_view>;

TEST_CASE("every transport in the table is complete and found by its name", "[transport]") {
  REQUIRE_FALSE(transports().empty());
  for (const TransportRow& row : transports()) {
    CAPTURE(row.name);
    CHECK_FALSE(row.description.empty());
    CHECK(row.make != nullptr);
    CHECK(find_transport(row.name) == &row);
    CHECK(row.name.find('+') == std::string_view::npos);
    CHECK(row.name != "auto");
    CHECK(std::ranges::count(transports(), row.name, &TransportRow::name) == 1);
  }
}

TEST_CASE("a transport that is not in the table is not found", "[transport]") {
  CHECK(find_transport("pigeon") == nullptr);
  CHECK(find_transport("") == nullptr);
  CHECK(find_transport("Direct") == nullptr);
}

TEST_CASE("the names are those of the table, in its order", "[transport]") {
  CHECK(std::ranges::equal(transport_names(), transports(), {}, {}, &TransportRow::name));
}

TEST_CASE("an order of preference is read from left to right", "[transport]") {
  CHECK(parse_transport_order("direct") == Names{"direct"});
  CHECK(parse_transport_order("daemon") == Names{"daemon"});
  CHECK(parse_transport_order("daemon+direct") == Names{"daemon", "direct"});
  const auto all = transport_names();
  CHECK(parse_transport_order("auto") == Names(all.begin(), all.end()));
}

TEST_CASE("a wrong order of preference is refused, with the names that are known", "[transport]") {
  for (const char* wrong : {"", "+", "pigeon", "direct+", "+direct", "direct++daemon", "direct+pigeon", "auto+direct",
                            "direct+auto", "DIRECT", " direct"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_transport_order(wrong), UsageError);
    for (const std::string_view name : transport_names()) {
      CHECK_THROWS_WITH(parse_transport_order(wrong), Catch::Matchers::Contains(std::string(name)));
    }
  }
  CHECK_THROWS_WITH(parse_transport_order("direct+daemon+direct"), Catch::Matchers::Contains("twice"));
}
