#include "harness/report/plot.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace nasvm;
using Catch::Contains;

namespace {

std::ptrdiff_t count(const std::string& text, const std::string& word) {
  std::ptrdiff_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

Chart chart_of(std::vector<Line> lines) { return {"title", {"NP", Scale::logarithmic}, {"%"}, std::move(lines), {}}; }

}  // namespace

TEST_CASE("plot: a line has its points, a mark for each with its value, and an entry in the legend") {
  const Chart chart = chart_of({{"direct", {{1, 10}, {2, 20}, {4, 30}}}});
  const std::string text = svg_of(std::span(&chart, 1), 2);
  CHECK_THAT(text, Catch::StartsWith("<svg xmlns="));
  CHECK_THAT(text, Catch::EndsWith("</svg>\n"));
  CHECK(count(text, "<polyline") == 1);
  CHECK(count(text, "<circle") == 3);
  CHECK_THAT(text, Contains("<title>direct: 4, 30</title>"));
  CHECK_THAT(text, Contains(">direct</text>"));
  for (const char* tick : {">1</text>", ">2</text>", ">4</text>"}) CHECK_THAT(text, Contains(tick));
}

TEST_CASE("plot: lines of one name have one colour in all charts, others another") {
  const std::vector<Chart> charts{chart_of({{"a", {{1, 1}}}, {"b", {{1, 2}}}}), chart_of({{"b", {{1, 2}}}})};
  const std::string text = svg_of(charts, 2);
  CHECK(count(text, "r=\"3.5\" fill=\"#0072b2\"") == 1);
  CHECK(count(text, "r=\"3.5\" fill=\"#d55e00\"") == 2);
}

TEST_CASE("plot: what has no place on a logarithmic axis is left out, and names are safe") {
  const Chart chart = chart_of({{"<&>", {{0, 1}, {2, 1}}}});
  const std::string text = svg_of(std::span(&chart, 1), 1);
  CHECK(count(text, "<circle") == 1);
  CHECK_THAT(text, Contains("&lt;&amp;&gt;") && !Contains("<&>"));
  CHECK_THAT(text, !Contains("nan") && !Contains("inf"));
}

TEST_CASE("plot: nothing to show is an empty picture") {
  CHECK_THAT(svg_of({}, 2), Catch::StartsWith("<svg") && !Contains("nan"));
  const Chart chart = chart_of({{"none", {}}});
  CHECK_THAT(svg_of(std::span(&chart, 1), 1), !Contains("nan") && !Contains("inf"));
}
