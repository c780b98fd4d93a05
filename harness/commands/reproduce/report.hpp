#pragma once
/// \file
/// The report of `nasvm reproduce`: sections of text, tables and pictures, for any kind of page.

#include <span>
#include <string>
#include <vector>

#include "harness/report/view.hpp"

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

/// What was found over all testbeds, then each kernel, then how it was done. A document for each testbed.
std::vector<Section> sections_of(std::span<const Source> sources);

/// A page in Markdown, which shows pictures that lie beside it under their names.
std::string report_markdown(std::span<const Section> sections);
/// A page that needs no other file.
std::string report_html(std::span<const Section> sections);

}  // namespace nasvm
