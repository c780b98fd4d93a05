#pragma once
/// \file
/// The cells of the result table, before they take the shape of text or Markdown: the paper's columns, one row for
/// each case, and below each group the ratios between its first and its last transport in each document, and between
/// the first and the last document, transport by transport.

#include <span>
#include <string>
#include <vector>

#include "harness/report/cases.hpp"

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

/// The grid as text, about 110 characters wide, and in Markdown.
std::string text_of(const Grid& grid);
std::string markdown_of(const Grid& grid);

/// The grid of kernel runs.
Grid make_grid(std::span<const Source> sources);

/// What two cases of a group are compared, with the name of their ratio: "daemon/direct".
struct Comparison {
  std::string name;
  const Case* numerator = nullptr;
  const Case* denominator = nullptr;
};

/// The comparisons of a group; none when it has one case.
std::vector<Comparison> comparisons(const Group& group, std::span<const Source> sources);

}  // namespace nasvm
