#pragma once
/// \file
/// How messages between two tasks are shown: table, columns of CSV, the OSU programs' layout, the paper's Table 6.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/pair/record.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// By size, smallest first.
std::vector<GroupOf<P2pRecord>> group_pairs(std::span<const Source> sources);

/// All paths in the order of their first occurrence in a document.
std::vector<std::string> paths_of(const Document& document);

/// The cases of one path in one document, by size.
std::vector<const CaseOf<P2pRecord>*> cases_of(std::span<const GroupOf<P2pRecord>> groups, std::size_t source,
                                               std::string_view path);

/// One row for each path, sizes below each other.
std::vector<Grid> pair_grids(std::span<const Source> sources, Columns columns);

/// ", windows of 8" where they are not as long as they usually are at that size; else nothing.
std::string windows_text(const P2pRecord& record);

/// One line for each run and size.
std::string pair_csv(std::span<const Source> sources);

/// Latency of every size, and bandwidth where there is a payload; yardsticks are not ours to judge.
std::vector<Compared> compared_pairs(const Document& document);

/// What osu_latency, osu_bw, osu_bibw and osu_mbw_mr print.
std::string render_p2p_osu(const Report& report);

enum class OsuProgram { latency, bw, bibw, mbw_mr };

/// What one of them prints, and nothing else: programs that read it take the first line that begins with a size.
/// Several paths stand below each other.
template <OsuProgram program>
std::string render_osu_program(const Report& report);

/// Columns of the paper's Table 6. Its kB and MB are powers of ten.
inline constexpr std::array<std::uint64_t, 4> table6_sizes{1, 100, 10'000, 1'000'000};

bool has_table6_size(std::span<const std::uint64_t> sizes);

/// Table 6 of White, Ålund and Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks" (section
/// 6.1), with this machine's figures above the paper's. Throws
/// UsageError where a document has none of its sizes.
std::string render_p2p_table6(const Report& report);

}  // namespace nasvm
