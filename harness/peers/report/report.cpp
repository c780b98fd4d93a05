#include "harness/peers/report/report.hpp"

#include <algorithm>
#include <array>

#include "harness/report/report.hpp"

namespace nasvm {

std::span<const PeersFormat> peers_formats() {
  static constexpr std::array<PeersFormat, 4> table{{
      {"table", "ratios of kernels and sizes, then the times", render_peers_table},
      {"json", "the result document", render_json},
      {"csv", "one line for each run", render_peers_csv},
      {"markdown", "the tables in Markdown", render_peers_markdown},
  }};
  return table;
}

const PeersFormat* find_peers_format(std::string_view name) {
  const auto all = peers_formats();
  const auto found = std::ranges::find(all, name, &PeersFormat::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nasvm
