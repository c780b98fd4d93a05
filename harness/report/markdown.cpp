#include <fmt/format.h>

#include "harness/report/grid.hpp"

namespace nasvm {
namespace {

/// A cell in which a bar does not end the cell.
std::string cell_text(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

std::string line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += cell.empty() ? " |" : fmt::format(" {} |", cell_text(cell));
  return text + "\n";
}

std::string head(const Grid& grid) {
  std::vector<std::string> titles;
  std::string alignment = "|";
  for (const Column& column : grid.columns) {
    titles.push_back(column.unit.empty() ? column.title : column.title + " " + column.unit);
    alignment += column.align == Align::left ? " --- |" : " ---: |";
  }
  return line(titles) + alignment + "\n";
}

std::vector<std::string> emphasised(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    if (!cell.empty()) cell = fmt::format("*{}*", cell);
  }
  return cells;
}

}  // namespace

std::string markdown_of(const Grid& shown) {
  const Grid grid = printable(shown);
  std::string text;
  for (const std::string& heading : grid.heading) text += heading + "  \n";
  text += '\n';
  text += head(grid);
  for (const Block& block : grid.blocks) {
    for (const Row& row : block.rows) text += line(row.is_ratio ? emphasised(row.cells) : row.cells);
  }
  text += "\n";
  for (const std::string& note : grid.notes) text += note + "  \n";
  return text;
}

}  // namespace nasvm
