#pragma once
/// \file
/// The layout of the OSU Micro-Benchmarks' output, for programs that read it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/cases.hpp"

namespace nasvm {

/// One of their columns.
template <typename Record>
struct OsuColumn {
  std::string_view title;
  double (*figure)(const Record& record);
  int decimals = 2;
};

/// A median, right-aligned as theirs; "-" where it is not a number, or 0: not known.
std::string osu_field(double value, int decimals);
std::string osu_field(std::string_view text);
/// The first field of a line, which is a size (or its title).
std::string osu_size(std::string_view text);
/// The title of the first field where that is no size.
std::string osu_first_title(std::string_view text);

/// "# OSU MPI Latency Test (layout; measured by nasvm 0.1.0 over direct)".
std::string osu_title(std::string_view test, const Document& document, std::string_view over);

/// Where a program of theirs is the only one: a line that says who has measured, and their own first line,
/// "# OSU MPI Latency Test v5.9".
std::string osu_program_title(std::string_view test, const Document& document, std::string_view over);

template <typename Record>
std::string osu_titles(std::span<const OsuColumn<Record>> columns) {
  std::string text;
  for (const auto& column : columns) text += osu_field(column.title);
  return text;
}

template <typename Record>
std::string osu_figures(const CaseOf<Record>& one, std::span<const OsuColumn<Record>> columns) {
  std::string text;
  for (const auto& column : columns) text += osu_field(one.median_of(column.figure), column.decimals);
  return text;
}

}  // namespace nasvm
