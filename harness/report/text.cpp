#include <algorithm>

#include <fmt/format.h>

#include "harness/report/grid.hpp"

namespace nasvm {
namespace {

constexpr std::string_view gap = "  ";

std::vector<std::size_t> widths(const Grid& grid) {
  std::vector<std::size_t> all;
  for (const Column& column : grid.columns) all.push_back(std::max(column.title.size(), column.unit.size()));
  for (const Block& block : grid.blocks) {
    for (const Row& row : block.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) all[i] = std::max(all[i], row.cells[i].size());
    }
  }
  return all;
}

std::string line(const std::vector<std::string>& cells, const Grid& grid, const std::vector<std::size_t>& width) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += gap;
    text += grid.columns[i].align == Align::left ? fmt::format("{:<{}}", cells[i], width[i])
                                                 : fmt::format("{:>{}}", cells[i], width[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string head(const Grid& grid, const std::vector<std::size_t>& width) {
  std::vector<std::string> titles;
  std::vector<std::string> units;
  for (const Column& column : grid.columns) {
    titles.push_back(column.title);
    units.push_back(column.unit);
  }
  const bool any_unit =
      std::any_of(units.begin(), units.end(), [](const std::string& unit) { return !unit.empty(); });
  return line(titles, grid, width) + (any_unit ? line(units, grid, width) : "");
}

std::string rule(const std::vector<std::size_t>& width) {
  std::size_t total = gap.size() * (width.size() - 1);
  for (const std::size_t one : width) total += one;
  return std::string(total, '-') + "\n";
}

}  // namespace

std::string text_of(const Grid& grid) {
  const std::vector<std::size_t> width = widths(grid);
  std::string text;
  for (const std::string& heading : grid.heading) text += heading + "\n";
  text += fmt::format("\n{}{}", head(grid, width), rule(width));
  for (std::size_t i = 0; i < grid.blocks.size(); ++i) {
    if (i > 0) text += "\n";
    for (const Row& row : grid.blocks[i].rows) text += line(row.cells, grid, width);
  }
  text += rule(width);
  for (const std::string& note : grid.notes) text += note + "\n";
  return text;
}

}  // namespace nasvm
