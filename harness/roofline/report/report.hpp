#pragma once
/// \file
/// Formats of `nasvm roofline`: views of result documents as text. A new one is a new file here and one row in the
/// table (report.cpp).

#include <span>
#include <string>
#include <string_view>

#include "harness/cases.hpp"

namespace nasvm {

struct RooflineFormat {
  std::string_view name;
  std::string_view description;                            ///< one line for people
  std::string (*render)(std::span<const Source> sources);  ///< the whole text, ending in a newline
};

/// All formats; the first is the default.
std::span<const RooflineFormat> roofline_formats();

/// The format of that name, or nullptr.
const RooflineFormat* find_roofline_format(std::string_view name);

/// Two tables for each document: the limits of the machine, then what each case reached of them.
std::string render_roofline_table(std::span<const Source> sources);
/// The same in Markdown.
std::string render_roofline_markdown(std::span<const Source> sources);
/// One line for each run, with its bound.
std::string render_roofline_csv(std::span<const Source> sources);

}  // namespace nasvm
