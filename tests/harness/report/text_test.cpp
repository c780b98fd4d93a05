#include "harness/report/grid.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("text: columns are as wide as what people see, not as its bytes") {
  Grid grid;
  grid.columns = {{"T", "", Align::left}, {"N", ""}};
  grid.blocks.emplace_back();
  grid.blocks.front().rows = {Row{{"▁▂▃", "1"}}, Row{{"ab", "2"}}};
  CHECK(text_of(grid) ==
        "\n"
        "T    N\n"
        "------\n"
        "▁▂▃  1\n"
        "ab   2\n"
        "------\n");
}
