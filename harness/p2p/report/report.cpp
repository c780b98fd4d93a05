#include "harness/p2p/report/report.hpp"

#include <algorithm>
#include <array>

#include "harness/report/report.hpp"

namespace nasvm {

std::span<const P2pFormat> p2p_formats() {
  static constexpr std::array<P2pFormat, 6> table{{
      {"table", "one row for each path, sizes below each other", render_p2p_table},
      {"json", "the result document", render_p2p_json},
      {"csv", "one line for each run and size", render_p2p_csv},
      {"markdown", "the table in Markdown", render_p2p_markdown},
      {"osu", "the layout of the OSU Micro-Benchmarks", render_p2p_osu},
      {"table6", "the layout of the paper's Table 6, with its figures", render_p2p_table6},
  }};
  return table;
}

const P2pFormat* find_p2p_format(std::string_view name) {
  const auto all = p2p_formats();
  const auto found = std::ranges::find(all, name, &P2pFormat::name);
  return found == all.end() ? nullptr : &*found;
}

std::string render_p2p_json(std::span<const Source> sources, bool) { return render_json(sources); }

}  // namespace nasvm
