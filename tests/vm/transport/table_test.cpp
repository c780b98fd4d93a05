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

TEST_CASE("every role is one transport's", "[transport]") {
  for (const auto role : {TransportRole::packed, TransportRole::unpacked}) {
    CHECK(std::ranges::count(transports(), role, &TransportRow::role) == 1);
    CHECK(transport_for(role).role == role);
  }
  CHECK(transport_for(TransportRole::packed).name == "daemon");
  CHECK(transport_for(TransportRole::packed).carriers == Carriers::daemons);
  CHECK(transport_for(TransportRole::unpacked).name == "direct");
}

TEST_CASE("a transport that is not in the table is not found", "[transport]") {
  CHECK(find_transport("pigeon") == nullptr);
  CHECK(find_transport("") == nullptr);
  CHECK(find_transport("Direct") == nullptr);
}

TEST_CASE("the names are those of the table, in its order", "[transport]") {
  CHECK(std::ranges::equal(transport_names(), transports(), {}, {}, &TransportRow::name));
}

namespace {

Names names_of(std::string_view order) {
  Names names;
  for (const TransportChoice& choice : parse_transport_order(order)) names.push_back(choice.row->name);
  return names;
}

}  // namespace

TEST_CASE("an order of preference is read from left to right", "[transport]") {
  CHECK(names_of("direct") == Names{"direct"});
  CHECK(names_of("daemon") == Names{"daemon"});
  CHECK(names_of("daemon+direct") == Names{"daemon", "direct"});
  const auto all = transport_names();
  CHECK(names_of("auto") == Names(all.begin(), all.end()));
}

TEST_CASE("parameters are read with their transport", "[transport]") {
  const auto order = parse_transport_order("daemon:packet=8k:spin=0+direct:sndbuf=1M");
  REQUIRE(order.size() == 2);
  CHECK(order[0].parameters == Parameters{{"packet", 8192}, {"spin", 0}});
  CHECK(order[1].parameters == Parameters{{"sndbuf", 1048576}});
  CHECK(value_of(order[1].parameters, "sndbuf", 5) == 1048576);
  CHECK(value_of(order[1].parameters, "rcvbuf", 5) == 5);
}

TEST_CASE("a wrong parameter is refused with what would be right", "[transport]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(parse_transport_order("direct:wings=2"), Contains("wings") && Contains("sndbuf"));
  for (const char* wrong : {"daemon:packet", "daemon:packet=", "daemon:packet=1", "daemon:packet=9g",
                            "daemon:packet=-4", "daemon:packet=4kk", "daemon:packet=99999999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse_transport_order(wrong), Contains("1024") && Contains("262144"));
  }
}

TEST_CASE("every transport of ours has the limits of the engine as parameters", "[transport]") {
  using Catch::Matchers::Contains;
  for (const std::string name : {"shm", "direct", "daemon"}) {
    CAPTURE(name);
    const auto order = parse_transport_order(name + ":eager=64k:skip_poll=16");
    CHECK(order[0].parameters == Parameters{{"eager", 65536}, {"skip_poll", 16}});
    CHECK_THROWS_WITH(parse_transport_order(name + ":eager=1M"), Contains("0 to 524288"));
    CHECK_THROWS_WITH(parse_transport_order(name + ":skip_poll=-1"), Contains("0 to 65536"));
  }
  CHECK_THROWS_WITH(parse_transport_order("daemon:sndbuf=1"), Contains("4096"));
  CHECK_THROWS_WITH(parse_transport_order("direct:rcvbuf=4096"), Contains("32768"));
}

TEST_CASE("every parameter of the table is described", "[transport]") {
  const std::string text = describe_parameters();
  for (const TransportRow& row : transports()) {
    for (const ParameterRow& parameter : row.parameters) {
      CHECK_THAT(text, Catch::Matchers::Contains(std::string(row.name) + ":" + std::string(parameter.name) + "="));
      CHECK(parameter.least < parameter.most);
    }
  }
}

TEST_CASE("a wrong order of preference is refused, with the names that are known", "[transport]") {
  for (const char* wrong :
       {"", "+", "pigeon", "direct+", "+direct", "direct++daemon", "direct+pigeon", "DIRECT", " direct"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_transport_order(wrong), UsageError);
    for (const std::string_view name : transport_names()) {
      CHECK_THROWS_WITH(parse_transport_order(wrong), Catch::Matchers::Contains(std::string(name)));
    }
  }
  CHECK_THROWS_WITH(parse_transport_order("direct+daemon+direct"), Catch::Matchers::Contains("twice"));
}

TEST_CASE("a parameter is given once", "[transport]") {
  CHECK_THROWS_WITH(parse_transport_order("direct:eager=1:eager=2"), Catch::Matchers::Contains("given twice"));
  CHECK_NOTHROW(parse_transport_order("direct:eager=1+daemon:eager=2"));
}

TEST_CASE("auto is not joined with others and has no parameters", "[transport]") {
  for (const char* wrong : {"auto+shm", "shm+auto", "auto:eager=1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse_transport_order(wrong), Catch::Matchers::Contains("a whole order by itself"));
  }
}
