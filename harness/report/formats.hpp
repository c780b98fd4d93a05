#pragma once
/// \file
/// Formats: what a report looks like as text. Those in this folder take any view; a special layout is made for one
/// view. A new one is a function of a Report and one row in the table (harness/commands.cpp).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/view.hpp"

namespace nasvm {

/// One way to print results.
struct Format {
  std::string_view name;                        ///< "table"
  std::string_view description;                 ///< one line for people
  std::string (*render)(const Report& report);  ///< the whole text, ending in a newline
  std::string_view section{};                   ///< of the view that it is made for; empty: of every view

  [[nodiscard]] bool fits(const View& view) const { return section.empty() || section == view.section; }
};

/// The format of that name that fits the view, or nullptr.
const Format* find_format(std::span<const Format> formats, std::string_view name, const View& view);

/// The names of all that fit one of the views, each once; the first is the default.
std::vector<std::string_view> format_names(std::span<const Format> formats, std::span<const View> views);

/// For people: about 110 characters wide, or as wide as their terminal.
std::string render_table(const Report& report);
/// The same tables in Markdown.
std::string render_markdown(const Report& report);
/// One line for each record, every figure in full precision; quoted as in RFC 4180.
std::string render_csv(const Report& report);
/// The document itself; an array of documents when there are several.
std::string render_json(const Report& report);

/// Grids one below the other; an empty line before each that has a heading.
std::string text_of(std::span<const Grid> grids, std::size_t width = 0);
std::string markdown_of(std::span<const Grid> grids);

}  // namespace nasvm
