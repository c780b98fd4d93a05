#pragma once
/// \file
/// Tables of declared columns: each has a head, and says how its cell follows from what a row shows.

#include <functional>
#include <string>
#include <vector>

#include "harness/report/grid.hpp"

namespace nasvm {

template <typename Item>
struct ColumnOf {
  Column head;
  std::function<std::string(const Item& item)> cell;
};

template <typename Item>
using ColumnsOf = std::vector<ColumnOf<Item>>;

template <typename Item>
std::vector<Column> heads_of(const ColumnsOf<Item>& columns) {
  std::vector<Column> heads;
  for (const auto& column : columns) heads.push_back(column.head);
  return heads;
}

template <typename Item>
Row row_of(const ColumnsOf<Item>& columns, const Item& item) {
  Row row;
  for (const auto& column : columns) row.cells.push_back(column.cell(item));
  return row;
}

/// A row for each item of a range.
template <typename Item, typename Items>
Block block_of(const ColumnsOf<Item>& columns, const Items& items) {
  Block block;
  for (const Item& item : items) block.rows.push_back(row_of(columns, item));
  return block;
}

}  // namespace nasvm
