#include "vm/parameters.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "vm/status.hpp"

using namespace nasvm;
using Texts = std::vector<std::string_view>;

namespace {

constexpr std::array rows{
    ParameterRow{"length", ParameterKind::bytes, 1, 1 << 20, "how long"},
    ParameterRow{"count", ParameterKind::count, 0, 9, "how many"},
};

Parameters parsed(std::string_view entry) { return parse_parameters(split_order(entry).front(), rows); }

}  // namespace

TEST_CASE("an order is cut into entries, and these into a name and parameters", "[transport]") {
  const auto entries = split_order("shm:ring=1M:spin=0+direct");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].name == "shm");
  CHECK(entries[0].parameters == Texts{"ring=1M", "spin=0"});
  CHECK(entries[1].name == "direct");
  CHECK(entries[1].parameters.empty());
}

TEST_CASE("an order has entries also where nothing is written", "[transport]") {
  CHECK(split_order("").size() == 1);
  CHECK(split_order("+").size() == 2);
  CHECK(split_order("a:").front().parameters == Texts{""});
}

TEST_CASE("the parameters of an entry are read by its rows", "[transport]") {
  CHECK(parsed("any:length=4k:count=3") == Parameters{{"length", 4096}, {"count", 3}});
  CHECK(parsed("any").empty());
  CHECK_THROWS_WITH(parsed("any:width=1"),
                    Catch::Contains("transport any has no parameter \"width\"") && Catch::Contains("length, count"));
  CHECK_THROWS_WITH(parsed("any:count=1:count=1"), Catch::Contains("given twice"));
}

TEST_CASE("a count is a number, or one of a power of 1024", "[transport]") {
  constexpr std::uint64_t kibi = 1024;
  CHECK((parse_count("0") == 0 && parse_count("32") == 32));
  for (const char* text : {"3k", "3K"}) CHECK(parse_count(text) == 3 * kibi);
  for (const char* text : {"3m", "3M"}) CHECK(parse_count(text) == 3 * kibi * kibi);
  for (const char* text : {"3g", "3G"}) CHECK(parse_count(text) == 3 * kibi * kibi * kibi);
  for (const char* text : {"", "k", "-1", "3kk", "3kK", "3T", "3 k", "18446744073709551616", "17179869184G"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_count(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(parsed("any:length=1G"),
                    Catch::Contains("is not a number from 1 to 1048576 (4096, 64k, 2M, 1G)"));
}

TEST_CASE("parameters are described one a line", "[transport]") {
  CHECK(describe_parameters("any", rows) == "  any:length=        how long\n  any:count=         how many\n");
  // Two blanks behind each name: by these a narrow terminal knows where to go on.
  CHECK(describe_parameters("longer-name", rows) ==
        "  longer-name:length=  how long\n  longer-name:count=  how many\n");
}
