#include "harness/roofline/report/report.hpp"

#include <algorithm>
#include <array>

#include "harness/report/report.hpp"

namespace nasvm {

std::span<const RooflineFormat> roofline_formats() {
  static constexpr std::array<RooflineFormat, 4> table{{
      {"table", "limits of the machine, and what was reached of them", render_roofline_table},
      {"json", "the result document", render_json},
      {"csv", "one line for each run", render_roofline_csv},
      {"markdown", "the tables in Markdown", render_roofline_markdown},
  }};
  return table;
}

const RooflineFormat* find_roofline_format(std::string_view name) {
  const auto all = roofline_formats();
  const auto found = std::ranges::find(all, name, &RooflineFormat::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nasvm
