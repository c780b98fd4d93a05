#include "harness/commands/roofline/report/report.hpp"

#include <array>

namespace nasvm {

std::span<const Format> roofline_formats() {
  static constexpr std::array<Format, 4> table{{
      {"table", "limits of the machine, and what was reached of them", render_roofline_table},
      {"json", "the result document", render_json},
      {"csv", "one line for each run", render_roofline_csv},
      {"markdown", "the tables in Markdown", render_roofline_markdown},
  }};
  return table;
}

}  // namespace nasvm
