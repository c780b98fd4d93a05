#pragma once
/// \file
/// The tables of D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 5: what the
/// paper prints, and what `nasvm io --report` measures for each. Times in seconds, on the Intel Paragon of 1995; its
/// NX beside EDONIO is the system's own files there, as posix is here.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

struct IoSpec;
struct IoRecord;

/// wopen, write, wclose, ropen, preload, read, rclose.
using IoPhases = std::array<double, 7>;
inline constexpr std::array<std::string_view, 7> io_phase_names{"wopen",   "write", "wclose", "ropen",
                                                                "preload", "read",  "rclose"};

/// A line of a table.
struct PaperLine {
  std::string_view method;  ///< of ours: "edonio", "posix"
  int x = 0;                ///< as PaperTable::x
  IoPhases times_s{};
};

struct PaperTable {
  std::string_view name;   ///< "5.1"
  std::string_view title;  ///< what the paper calls it
  std::string_view finding;
  std::string_view x_title;
  /// Where a case of ours lies in it.
  int (*x)(const IoRecord& record);
  std::span<const PaperLine> lines;
  /// Our cases, on as many tasks as the paper has, but 16 at most (5.1: its 22), or few of them.
  std::vector<IoSpec> (*cases)(bool quick);
};

std::span<const PaperTable> paper_tables();
/// Those of a list such as "5.1,5.3" or "all". Throws UsageError.
std::vector<const PaperTable*> parse_paper_tables(const std::string& list);

/// All cases of the tables, with their names.
std::vector<IoSpec> paper_cases(std::span<const PaperTable* const> tables, bool quick);

}  // namespace nasvm
