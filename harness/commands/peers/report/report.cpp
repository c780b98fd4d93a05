#include "harness/commands/peers/report/report.hpp"

#include <array>

namespace nasvm {

std::span<const Format> peers_formats() {
  static constexpr std::array<Format, 4> table{{
      {"table", "ratios of kernels and sizes, then the times", render_peers_table},
      {"json", "the result document", render_json},
      {"csv", "one line for each run", render_peers_csv},
      {"markdown", "the tables in Markdown", render_peers_markdown},
  }};
  return table;
}

}  // namespace nasvm
