#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/p2p/cases.hpp"
#include "harness/commands/p2p/collective/cases.hpp"
#include "harness/commands/p2p/report/cells.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"

namespace nasvm {
namespace {

using Figure = double (*)(const CollectiveRecord&);

double time_us(const CollectiveRecord& record) { return record.time.median_us; }
double back_to_back_us(const CollectiveRecord& record) { return record.back_to_back_us; }

/// A column of medians.
struct FigureColumn {
  Column column;
  Figure figure;
  bool only_full = false;
  bool compared = false;  ///< has a spread, and ratios below
  bool whole = false;     ///< counts: no digits behind the point
};

const std::vector<FigureColumn>& figure_columns() {
  static const std::vector<FigureColumn> all{
      {{"Time", "(us)"}, time_us, false, true},
      {{"Least", "(us)"}, [](const CollectiveRecord& r) { return r.time.min_us; }, true},
      {{"Mean", "(us)"}, [](const CollectiveRecord& r) { return r.time.mean_us; }, true},
      {{"p99", "(us)"}, [](const CollectiveRecord& r) { return r.time.p99_us; }},
      {{"Most", "(us)"}, [](const CollectiveRecord& r) { return r.time.max_us; }, true},
      {{"Average", "(us)"}, [](const CollectiveRecord& r) { return r.average_us; }, false, true},
      {{"In a row", "(us)"}, back_to_back_us, false, true},
      {{"Calls", ""}, [](const CollectiveRecord& r) { return static_cast<double>(r.iterations); }, true, false, true},
  };
  return all;
}

/// Which columns the table has.
struct Shape {
  bool full = false;
  bool files = false;
  std::size_t runs = 1;
  bool data = false;
};

Shape shape_of(std::span<const CollectiveGroup> groups, std::size_t sources, bool full) {
  Shape shape{full, sources > 1, 1, false};
  for (const CollectiveGroup& group : groups) {
    for (const CollectiveCase& one : group.cases) {
      shape.runs = std::max(shape.runs, one.records.size());
      shape.data = shape.data || one.records.front()->data != DataCheck::none;
    }
  }
  return shape;
}

std::vector<Column> columns(const Shape& shape) {
  std::vector<Column> all{{"Collective", "", Align::left}, {"NP", "", Align::right}, {"Bytes", "", Align::right}};
  if (shape.files) all.push_back({"File", "", Align::left});
  all.push_back({"Transport", "", Align::left});
  for (const FigureColumn& one : figure_columns()) {
    if (one.only_full && !shape.full) continue;
    all.push_back(one.column);
    if (one.compared && shape.runs > 1) all.push_back({"Spread", "", Align::right});
  }
  if (shape.data) all.push_back({"Data", "", Align::left});
  return all;
}

/// The medians of one figure for the cases of a group, with their points below each other.
std::vector<std::string> figure_cells(const CollectiveGroup& group, const FigureColumn& column) {
  std::vector<double> medians;
  for (const CollectiveCase& one : group.cases) medians.push_back(one.median_of(column.figure));
  return aligned_texts(medians, column.whole);
}

std::vector<std::string> row_begin(const CollectiveGroup& group, const Shape& shape, bool first,
                                   const std::string& file) {
  std::vector<std::string> cells(3);
  if (first) cells = {group.collective, std::to_string(group.np), std::to_string(group.bytes)};
  if (shape.files) cells.push_back(file);
  return cells;
}

/// The ratio of a figure of two cases and its interval.
void add_ratio(std::vector<std::string>& cells, const CollectiveCase& a, const CollectiveCase& b, Figure figure,
               const Shape& shape) {
  cells.push_back(factor_text(a.median_of(figure) / b.median_of(figure)));
  if (shape.runs < 2) return;
  const bool repeated = a.records.size() > 1 && b.records.size() > 1;
  const Interval ratio = repeated ? ratio_of_medians(a.all(figure), b.all(figure)) : Interval{};
  cells.push_back(repeated ? fmt::format("{:.2f}-{:.2f}", ratio.low, ratio.high) : "");
}

Row ratio_row(const CollectiveGroup& group, const CollectiveCase& first, const CollectiveCase& last,
              const Shape& shape) {
  Row row{row_begin(group, shape, false, source_label(first.source)), true};
  row.cells.push_back(first.transport + "/" + last.transport);
  for (const FigureColumn& column : figure_columns()) {
    if (column.only_full && !shape.full) continue;
    if (column.compared) add_ratio(row.cells, first, last, column.figure, shape);
    else row.cells.emplace_back();
  }
  if (shape.data) row.cells.emplace_back();
  return row;
}

/// In each document the group's first path by its last.
std::vector<Row> ratio_rows(const CollectiveGroup& group, std::size_t sources, const Shape& shape) {
  std::vector<Row> rows;
  for (std::size_t source = 0; source < sources; ++source) {
    std::vector<const CollectiveCase*> own;
    for (const CollectiveCase& one : group.cases) {
      if (one.source == source) own.push_back(&one);
    }
    if (own.size() < 2 || own.front()->wrong() || own.back()->wrong()) continue;
    rows.push_back(ratio_row(group, *own.front(), *own.back(), shape));
  }
  return rows;
}

Block block_of(const CollectiveGroup& group, std::size_t sources, const Shape& shape) {
  Block block;
  for (const CollectiveCase& one : group.cases) {
    Row row{row_begin(group, shape, block.rows.empty(), source_label(one.source))};
    row.cells.push_back(path_text(one.transport, one.records.front()->method));
    block.rows.push_back(std::move(row));
  }
  for (const FigureColumn& column : figure_columns()) {
    if (column.only_full && !shape.full) continue;
    const std::vector<std::string> cells = figure_cells(group, column);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      block.rows[i].cells.push_back(cells[i]);
      if (!column.compared || shape.runs < 2) continue;
      const CollectiveCase& one = group.cases[i];
      block.rows[i].cells.push_back(spread_text(one.all(column.figure), one.wrong()));
    }
  }
  for (std::size_t i = 0; shape.data && i < group.cases.size(); ++i) {
    const CollectiveCase& one = group.cases[i];
    block.rows[i].cells.push_back(data_text(one.wrong(), one.records.front()->data));
  }
  std::ranges::move(ratio_rows(group, sources, shape), std::back_inserter(block.rows));
  return block;
}

std::string binding_note(std::span<const CollectiveGroup> groups) {
  const auto bound = [](const CollectiveRecord* record) { return record->bound; };
  const auto of_case = [&](const CollectiveCase& one) { return std::ranges::all_of(one.records, bound); };
  const auto unbound = std::ranges::find_if_not(
      groups, [&](const CollectiveGroup& group) { return std::ranges::all_of(group.cases, of_case); });
  return unbound == groups.end() ? "Each task was bound to a core of its own."
                                 : fmt::format("Tasks were not bound to cores (with {} tasks).", unbound->np);
}

std::vector<std::string> notes(std::span<const CollectiveGroup> groups, const Shape& shape) {
  std::vector<std::string> lines{
      "Time: of a call between two barriers, its slowest task's, median; p99: 99 of 100 were faster. Average: over",
      "tasks and calls, as the OSU programs have it. In a row: calls without anything between them, mean. Bytes: the",
      "vector of each task (reductions), the message (broadcast), the block of each task (allgather) or of each pair",
      "of tasks (alltoall).", binding_note(groups)};
  if (shape.runs > 1) {
    lines.push_back(fmt::format(
        "Medians of {} runs, taken in alternating order. Spread: (largest - smallest) / median; of a ratio: its 95 % "
        "interval.",
        shape.runs));
  }
  return lines;
}

Grid make_collective_grid(std::span<const Source> sources, bool full) {
  const std::vector<CollectiveGroup> groups = group_collectives(sources);
  const Shape shape = shape_of(groups, sources.size(), full);
  Grid grid;
  grid.heading = heading_lines(sources);
  grid.columns = columns(shape);
  for (const CollectiveGroup& group : groups) grid.blocks.push_back(block_of(group, sources.size(), shape));
  if (!groups.empty()) grid.notes = notes(groups, shape);
  return grid;
}

}  // namespace

std::string render_collective_table(std::span<const Source> sources, bool full) {
  return text_of(make_collective_grid(sources, full));
}

std::string render_collective_markdown(std::span<const Source> sources, bool full) {
  return markdown_of(make_collective_grid(sources, full));
}

}  // namespace nasvm
