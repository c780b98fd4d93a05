#include "harness/report/formats.hpp"

#include <algorithm>
#include <array>

namespace nasvm {

std::span<const Format> formats() {
  static constexpr std::array<Format, 5> table{{
      {"table", "the paper's table, for people", render_table},
      {"json", "the result document", render_json},
      {"csv", "one line for each run", render_csv},
      {"markdown", "the table in Markdown", render_markdown},
      {"npb", "the result blocks of the NAS reference codes", render_npb},
  }};
  return table;
}

const Format* find_format(std::string_view name, std::span<const Format> among) {
  const auto found = std::ranges::find(among, name, &Format::name);
  return found == among.end() ? nullptr : &*found;
}

}  // namespace nasvm
