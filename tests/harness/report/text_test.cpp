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

TEST_CASE("text: names of others are printable, and columns as wide as what is shown") {
  Grid grid;
  grid.heading = {"File A: \x1b[2J.json"};
  grid.columns = {{"T", "", Align::left}, {"N", ""}};
  grid.blocks.emplace_back();
  grid.blocks.front().rows = {Row{{"a\nb", "1"}}};
  grid.notes = {"\t\x7f"};
  CHECK(text_of(grid) ==
        "File A: \\x1b[2J.json\n"
        "\n"
        "T     N\n"
        "-------\n"
        "a\\nb  1\n"
        "-------\n"
        "\\t\\x7f\n");
  CHECK(markdown_of(grid).find("| a\\nb | 1 |") != std::string::npos);
}
