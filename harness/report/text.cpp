#include <algorithm>
#include <numeric>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "harness/report/grid.hpp"
#include "harness/text.hpp"
#include "harness/wrap.hpp"

namespace nasvm {
namespace {

constexpr std::string_view gap = "  ";

std::vector<std::size_t> widths(const Grid& grid) {
  std::vector<std::size_t> all;
  all.reserve(grid.columns.size());
  for (const Column& column : grid.columns) {
    all.push_back(std::max(terminal_columns(column.title), terminal_columns(column.unit)));
  }
  for (const Block& block : grid.blocks) {
    for (const Row& row : block.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) all[i] = std::max(all[i], terminal_columns(row.cells[i]));
    }
  }
  return all;
}

/// Positions of the columns of one part of a table.
using Part = std::vector<std::size_t>;

std::string line(const std::vector<std::string>& cells, const Grid& grid, const std::vector<std::size_t>& width,
                 const Part& part) {
  std::string text;
  for (const std::size_t i : part) {
    if (i >= cells.size()) break;
    if (i != part.front()) text += gap;
    const std::string padding(width[i] - terminal_columns(cells[i]), ' ');
    text += grid.columns[i].align == Align::left ? cells[i] + padding : padding + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string head(const Grid& grid, const std::vector<std::size_t>& width, const Part& part) {
  std::vector<std::string> titles;
  std::vector<std::string> units;
  for (const Column& column : grid.columns) {
    titles.push_back(column.title);
    units.push_back(column.unit);
  }
  const bool any_unit = std::ranges::any_of(part, [&](std::size_t i) { return !units[i].empty(); });
  return line(titles, grid, width, part) + (any_unit ? line(units, grid, width, part) : "");
}

std::size_t width_of(const Part& part, const std::vector<std::size_t>& width) {
  std::size_t total = part.empty() ? 0 : gap.size() * (part.size() - 1);
  for (const std::size_t i : part) total += width[i];
  return total;
}

/// How many columns say what a row is of: up to the last of the first few that is aligned left.
std::size_t key_columns(const Grid& grid) {
  constexpr std::size_t most = 5;
  std::size_t keys = 0;
  for (std::size_t i = 0; i < std::min(most, grid.columns.size()); ++i) {
    if (grid.columns[i].align == Align::left) keys = i + 1;
  }
  return keys;
}

/// Columns that fit beside each other, behind the keys; all in one part where the width is not limited.
std::vector<Part> parts_of(const Grid& grid, const std::vector<std::size_t>& width, std::size_t limit) {
  Part keys(key_columns(grid));
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  std::vector<Part> parts{keys};
  for (std::size_t i = keys.size(); i < grid.columns.size(); ++i) {
    const bool fits = limit == 0 || parts.back().size() == keys.size() ||
                      width_of(parts.back(), width) + gap.size() + width[i] <= limit;
    if (!fits) parts.push_back(keys);
    parts.back().push_back(i);
  }
  return parts;
}

std::string table_of(const Grid& grid, const std::vector<std::size_t>& width, const Part& part) {
  const std::string rule = std::string(width_of(part, width), '-') + "\n";
  std::string text = head(grid, width, part) + rule;
  for (std::size_t i = 0; i < grid.blocks.size(); ++i) {
    if (i > 0) text += "\n";
    for (const Row& row : grid.blocks[i].rows) text += line(row.cells, grid, width, part);
  }
  return text + rule;
}

/// Broken between words, where the width is limited.
std::string broken(const std::string& text, std::size_t limit) {
  return (limit == 0 ? text : wrapped(text, limit)) + "\n";
}

/// Of a paragraph, whose lines stay.
std::string printable_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto line : std::views::split(text, '\n')) {
    lines.push_back(printable(std::string_view(line.begin(), line.end())));
  }
  return joined(lines, "\n");
}

}  // namespace

Grid printable(Grid grid) {
  for (auto* texts : {&grid.heading, &grid.notes}) {
    for (std::string& text : *texts) text = printable_lines(text);
  }
  for (Column& column : grid.columns) column.title = printable(column.title);
  for (Block& block : grid.blocks) {
    for (Row& row : block.rows) {
      for (std::string& cell : row.cells) cell = printable(cell);
    }
  }
  return grid;
}

std::string text_of(const Grid& shown, std::size_t width) {
  const Grid grid = printable(shown);
  const std::vector<std::size_t> columns = widths(grid);
  std::string text;
  for (const std::string& heading : grid.heading) text += broken(heading, width);
  for (const Part& part : parts_of(grid, columns, width)) text += "\n" + table_of(grid, columns, part);
  for (const std::string& note : grid.notes) text += broken(note, width);
  return text;
}

}  // namespace nasvm
