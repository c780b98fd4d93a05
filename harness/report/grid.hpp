#pragma once
/// \file
/// The cells of a table, before they take the shape of text or Markdown.

#include <string>
#include <vector>

namespace nasvm {

enum class Align { left, right };

struct Column {
  std::string title;
  std::string unit;  ///< second line of the head; may be empty
  Align align = Align::right;
};

/// Cells line up with the columns; an empty cell is blank.
struct Row {
  std::vector<std::string> cells;
  bool is_ratio = false;
};

/// The rows that belong together.
struct Block {
  std::vector<Row> rows;
};

struct Grid {
  std::vector<std::string> heading;  ///< lines above: what, where (the paper's platform), with what
  std::vector<Column> columns;
  std::vector<Block> blocks;
  std::vector<std::string> notes;  ///< lines below: how many runs verified, what the columns mean
};

/// With all texts of it printable (harness/text.hpp), since names of others may hold anything; headings and notes
/// keep their lines.
Grid printable(Grid grid);

/// The grid as text, about 110 characters wide, and in Markdown. In a terminal of less width (0: any), columns that
/// do not fit stand below the others, with the first ones repeated in front of them, and long lines are broken.
std::string text_of(const Grid& grid, std::size_t width = 0);
std::string markdown_of(const Grid& grid);

}  // namespace nasvm
