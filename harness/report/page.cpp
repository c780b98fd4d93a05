#include "harness/report/page.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/wrap.hpp"

namespace nasvm {
namespace {

constexpr std::size_t line_length = 110;

/// Title and paragraphs.
std::vector<std::string> lines_of(const Section& section) {
  std::vector<std::string> lines{section.title};
  for (const std::string& paragraph : section.text) lines.push_back(wrapped(paragraph, line_length));
  return lines;
}

}  // namespace

std::string page_markdown(std::string_view title, std::span<const Section> sections) {
  std::string text = fmt::format("# {}\n", title);
  for (const Section& section : sections) {
    text += fmt::format("\n## {}\n", section.title);
    for (const std::string& paragraph : section.text) text += fmt::format("\n{}\n", paragraph);
    for (const Grid& grid : section.grids) text += "\n" + markdown_of(grid);
    for (const Picture& picture : section.pictures) text += fmt::format("\n![{}]({})\n", section.title, picture.file);
  }
  return text;
}

std::vector<Grid> page_grids(std::vector<Section> sections) {
  std::vector<Grid> grids;
  for (Section& section : sections) {
    const std::vector<std::string> lines = lines_of(section);
    if (section.grids.empty()) {
      if (grids.empty()) grids.emplace_back();
      auto& above = grids.back().notes;
      above.emplace_back();
      above.insert(above.end(), lines.begin(), lines.end());
      continue;
    }
    auto& heading = section.grids.front().heading;
    heading.insert(heading.begin(), lines.begin(), lines.end());
    for (Grid& grid : section.grids) {
      for (std::string& note : grid.notes) note = wrapped(note, line_length);
      grids.push_back(std::move(grid));
    }
  }
  return grids;
}

}  // namespace nasvm
