#pragma once
/// \file
/// Reports of several sections, each with text, tables and pictures: as a page in Markdown, as one in HTML, or as
/// tables only.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/grid.hpp"

namespace nasvm {

struct Picture {
  std::string file;  ///< "efficiency.svg"
  std::string svg;
};

struct Section {
  std::string title;
  std::vector<std::string> text{};  ///< paragraphs above the tables
  std::vector<Grid> grids{};
  std::vector<Picture> pictures{};  ///< below them
};

/// A page in Markdown, which shows pictures that lie beside it under their names.
std::string page_markdown(std::string_view title, std::span<const Section> sections);
/// A page that needs no other file.
std::string page_html(std::string_view title, std::span<const Section> sections);
/// The tables, each below the title and the text of its section; those of a section without tables stand below the
/// one before.
std::vector<Grid> page_grids(std::vector<Section> sections);

}  // namespace nasvm
