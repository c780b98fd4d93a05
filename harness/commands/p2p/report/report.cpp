#include "harness/commands/p2p/report/report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/report/formats.hpp"
#include "vm/status.hpp"

namespace nasvm {

std::span<const P2pFormat> p2p_formats() {
  static constexpr std::array<P2pFormat, 6> table{{
      {"table", "one row for each path, sizes below each other", render_p2p_table, render_collective_table,
       render_mixed_table},
      {"json", "the result document", render_p2p_json, render_p2p_json, render_p2p_json},
      {"csv", "one line for each run and size", render_p2p_csv, render_collective_csv, render_mixed_csv},
      {"markdown", "the table in Markdown", render_p2p_markdown, render_collective_markdown, render_mixed_markdown},
      {"osu", "the layout of the OSU Micro-Benchmarks", render_p2p_osu, render_collective_osu},
      {"table6", "the layout of the paper's Table 6, with its figures", render_p2p_table6},
  }};
  return table;
}

P2pRenderer P2pFormat::renderer(P2pKind kind) const {
  switch (kind) {
    case P2pKind::collective:
      return collective;
    case P2pKind::mixed:
      return mixed;
    default:
      return pair;
  }
}

std::string P2pFormat::render(std::span<const Source> sources, bool full) const {
  const std::optional<P2pKind> found_kind = sources.empty() ? std::nullopt : p2p_kind_of(sources.front().document);
  const P2pKind kind = found_kind.value_or(P2pKind::pair);
  const P2pRenderer found = renderer(kind);
  if (found == nullptr) {
    throw UsageError(fmt::format("--format {}: not made for results of {}; table is", name, option_of(kind)));
  }
  return found(sources, full);
}

std::optional<P2pKind> p2p_kind_of(const Document& document) {
  if (!document.p2p.empty()) return P2pKind::pair;
  if (!document.collectives.empty()) return P2pKind::collective;
  if (!document.mixed.empty()) return P2pKind::mixed;
  return std::nullopt;
}

const P2pFormat* find_p2p_format(std::string_view name) {
  const auto all = p2p_formats();
  const auto found = std::ranges::find(all, name, &P2pFormat::name);
  return found == all.end() ? nullptr : &*found;
}

std::string render_p2p_json(std::span<const Source> sources, bool) { return render_json(sources); }

}  // namespace nasvm
