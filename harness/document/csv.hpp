#pragma once
/// \file
/// Records as comma-separated values, as in RFC 4180, from the same description as JSON (fields.hpp). A record inside
/// a record gives cells of its own; records and texts by name are one cell, "direct:1024:16;shm:8:1"; lists are left
/// out.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.hpp"

namespace nasvm {

/// Quoted if it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

struct Cell {
  std::string name;
  std::string text;
};

using Cells = std::vector<Cell>;

/// One for each field of a record, in their order.
Cells cells_of(const Describe& record);

/// Lines of named columns.
class CsvTable {
 public:
  explicit CsvTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// A line of what is known of one thing: a column shows the first cell of its name, else what the source has under
  /// it (file, created, hosts, version, commit, flags), else nothing.
  void add(const Source& source, const Cells& cells);

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// Head and lines.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> columns_;
  std::string lines_;
};

/// Cells of several records, one after the other.
Cells together(std::initializer_list<Cells> parts);

/// The last column of records that have conditions; empty where nothing was measured.
inline constexpr const char* changed_column = "conditions_changed";

/// One line for each record of a type. Without columns: the file, then all fields.
template <typename Record>
std::string csv_of(std::span<const Source> sources, std::vector<std::string> columns = {}) {
  if (columns.empty()) {
    columns.emplace_back("file");
    for (const Cell& cell : cells_of(description_of(Record{}))) columns.push_back(cell.name);
  }
  if constexpr (requires(Record record) { record.sampled; }) columns.emplace_back(changed_column);
  CsvTable table(std::move(columns));
  for (const Source& source : sources) {
    for (const Record& record : source.document.records<Record>())
      table.add(source, cells_of(description_of(record)));
  }
  return table.text();
}

}  // namespace nasvm
