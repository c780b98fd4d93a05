#pragma once
/// \file
/// Formats of `nasvm roofline`: views of result documents as text. A new one is a new file here and one row in the
/// table (report.cpp).

#include <span>
#include <string>

#include "harness/report/formats.hpp"

namespace nasvm {

/// All formats; the first is the default.
std::span<const Format> roofline_formats();

/// Two tables for each document: the limits of the machine, then what each case reached of them.
std::string render_roofline_table(std::span<const Source> sources);
/// The same in Markdown.
std::string render_roofline_markdown(std::span<const Source> sources);
/// One line for each run, with its bound.
std::string render_roofline_csv(std::span<const Source> sources);

}  // namespace nasvm
