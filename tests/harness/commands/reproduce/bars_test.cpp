#include "harness/commands/reproduce/bars.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

using namespace nasvm;
using Catch::Contains;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("bars: a bar for each value that is known, with its text") {
  const std::array charts{BarChart{"one & two", "%", {"FT", "IS"}, {{"then", {50, unknown}}, {"now", {25, 100}}}}};
  const std::string svg = svg_of(charts);
  CHECK(count(svg, "<title>") == 3);
  CHECK_THAT(svg, Contains("FT, then: 50 %") && Contains("IS, now: 100 %") && Contains("one &amp; two"));
  CHECK_THAT(svg, !Contains("nan"));
}

TEST_CASE("bars: heights are in proportion, and the highest has room") {
  const std::array charts{BarChart{"", "", {"a", "b"}, {{"s", {100, 50}}}}};
  const std::string svg = svg_of(charts);
  CHECK_THAT(svg, Contains("height=\"220.0\"") && Contains("height=\"110.0\""));
}

TEST_CASE("bars: without charts or values there is a picture still") {
  CHECK_THAT(svg_of({}), Contains("<svg") && Contains("</svg>"));
  const std::array charts{BarChart{"", "", {"a"}, {{"s", {unknown}}}}};
  CHECK_THAT(svg_of(charts), Contains("</svg>") && !Contains("nan"));
}
