#pragma once
/// \file
/// Formats of `nasvm p2p`: views of result documents as text. A new one is a new file here and one row in the table
/// (report.cpp).

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/report/cases.hpp"
#include "harness/commands/p2p/kind.hpp"

namespace nasvm {

/// Makes the whole text, ending in a newline; `full` asks for all columns where that makes a difference.
using P2pRenderer = std::string (*)(std::span<const Source> sources, bool full);

struct P2pFormat {
  std::string_view name;
  std::string_view description;  ///< one line for people
  P2pRenderer pair;              ///< for each kind of measurement; null where the format does not know it
  P2pRenderer collective = nullptr;
  P2pRenderer mixed = nullptr;

  [[nodiscard]] P2pRenderer renderer(P2pKind kind) const;
  /// Of documents that have one kind of results. Throws UsageError when the format is not made for it.
  [[nodiscard]] std::string render(std::span<const Source> sources, bool full) const;
};

/// What the document has; nothing when it has no results of p2p.
std::optional<P2pKind> p2p_kind_of(const Document& document);

/// All formats; the first is the default. Those of `nasvm run` that have a meaning here have the same names.
std::span<const P2pFormat> p2p_formats();

/// The format of that name, or nullptr.
const P2pFormat* find_p2p_format(std::string_view name);

/// One row for each path, sizes below each other, for people; the same in Markdown.
std::string render_p2p_table(std::span<const Source> sources, bool full);
std::string render_p2p_markdown(std::span<const Source> sources, bool full);
/// One line for each record, every figure in full precision.
std::string render_p2p_csv(std::span<const Source> sources, bool full);
/// The document itself.
std::string render_p2p_json(std::span<const Source> sources, bool full);
/// What osu_latency, osu_bw, osu_bibw and osu_mbw_mr print, for programs that read it: averages, as theirs are.
std::string render_p2p_osu(std::span<const Source> sources, bool full);
// The same of collectives; those of OSU are osu_allreduce, osu_alltoall and so on.
std::string render_collective_table(std::span<const Source> sources, bool full);
std::string render_collective_markdown(std::span<const Source> sources, bool full);
std::string render_collective_csv(std::span<const Source> sources, bool full);
std::string render_collective_osu(std::span<const Source> sources, bool full);

// The same of mixed transports: rows of the paper's Figures 6 and 7.
std::string render_mixed_table(std::span<const Source> sources, bool full);
std::string render_mixed_markdown(std::span<const Source> sources, bool full);
std::string render_mixed_csv(std::span<const Source> sources, bool full);

/// Table 6 of White, Ålund and Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks" (section
/// 6.1), with this machine's figures above the paper's.
std::string render_p2p_table6(std::span<const Source> sources, bool full);

}  // namespace nasvm
