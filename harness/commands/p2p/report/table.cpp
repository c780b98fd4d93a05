#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/p2p/cases.hpp"
#include "harness/commands/p2p/report/cells.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/commands/p2p/yardstick.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"

namespace nasvm {
namespace {

using Figure = double (*)(const P2pRecord&);

double latency(const P2pRecord& record) { return record.latency.median_us; }
double bandwidth(const P2pRecord& record) { return record.bandwidth.median_mb_s; }

/// A column of medians.
struct FigureColumn {
  Column column;
  Figure figure;
  bool only_full;
  bool only_payload;   ///< means nothing for 0 bytes
  bool whole = false;  ///< counts: no digits behind the point
};

const std::vector<FigureColumn>& figure_columns() {
  static const std::vector<FigureColumn> all{
      {{"Latency", "(us)"}, latency, false, false},
      {{"Least", "(us)"}, [](const P2pRecord& r) { return r.latency.min_us; }, true, false},
      {{"Mean", "(us)"}, [](const P2pRecord& r) { return r.latency.mean_us; }, true, false},
      {{"p99", "(us)"}, [](const P2pRecord& r) { return r.latency.p99_us; }, false, false},
      {{"Most", "(us)"}, [](const P2pRecord& r) { return r.latency.max_us; }, true, false},
      {{"Bandwidth", "(MB/s)"}, bandwidth, false, true},
      {{"Both ways", "(MB/s)"}, [](const P2pRecord& r) { return r.bidirectional.median_mb_s; }, false, true},
      {{"Messages", "(1000/s)"}, [](const P2pRecord& r) { return r.messages_per_s / 1e3; }, false, false},
      {{"Round", "trips"}, [](const P2pRecord& r) { return static_cast<double>(r.iterations); }, true, false, true},
      {{"Window", ""}, [](const P2pRecord& r) { return static_cast<double>(r.window); }, true, false, true},
  };
  return all;
}

/// Which columns the table has.
struct Shape {
  bool full = false;
  bool files = false;
  bool spread = false;
  bool data = false;
};

Shape shape_of(std::span<const P2pGroup> groups, std::size_t sources, bool full) {
  Shape shape{full, sources > 1, false, false};
  for (const P2pGroup& group : groups) {
    for (const P2pCase& one : group.cases) {
      shape.spread = shape.spread || one.records.size() > 1;
      shape.data = shape.data || std::ranges::any_of(one.records, [](const P2pRecord* record) {
                     return record->data != DataCheck::none;
                   });
    }
  }
  return shape;
}

/// The medians of one figure for the cases of a group, with their points below each other.
std::vector<std::string> figure_cells(const P2pGroup& group, const FigureColumn& column) {
  std::vector<double> medians;
  for (const P2pCase& one : group.cases) medians.push_back(one.median_of(column.figure));
  if (column.only_payload && group.bytes == 0) return std::vector<std::string>(medians.size());
  return aligned_texts(medians, column.whole);
}

/// Latency and bandwidth are followed by their spread.
bool has_spread(const FigureColumn& column, const Shape& shape) {
  return shape.spread && (column.figure == latency || column.figure == bandwidth);
}

std::vector<Column> columns(const Shape& shape) {
  std::vector<Column> all{{"Bytes", "", Align::right}};
  if (shape.files) all.push_back({"File", "", Align::left});
  all.push_back({"Transport", "", Align::left});
  for (const FigureColumn& one : figure_columns()) {
    if (one.only_full && !shape.full) continue;
    all.push_back(one.column);
    if (has_spread(one, shape)) all.push_back({"Spread", "", Align::right});
  }
  if (shape.data) all.push_back({"Data", "", Align::left});
  return all;
}

Block block_of(const P2pGroup& group, const Shape& shape) {
  Block block;
  for (const P2pCase& one : group.cases) {
    Row row;
    row.cells.push_back(block.rows.empty() ? std::to_string(group.bytes) : "");
    if (shape.files) row.cells.push_back(source_label(one.source));
    row.cells.push_back(one.name());
    block.rows.push_back(std::move(row));
  }
  for (const FigureColumn& column : figure_columns()) {
    if (column.only_full && !shape.full) continue;
    const std::vector<std::string> cells = figure_cells(group, column);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      block.rows[i].cells.push_back(cells[i]);
      if (!has_spread(column, shape)) continue;
      const P2pCase& one = group.cases[i];
      block.rows[i].cells.push_back(cells[i].empty() ? "" : spread_text(one.all(column.figure), one.wrong()));
    }
  }
  for (std::size_t i = 0; shape.data && i < group.cases.size(); ++i) {
    const P2pCase& one = group.cases[i];
    block.rows[i].cells.push_back(data_text(one.wrong(), one.records.front()->data));
  }
  return block;
}

bool all_bound(std::span<const P2pGroup> groups) {
  return std::ranges::all_of(groups, [](const P2pGroup& group) {
    return std::ranges::all_of(
        group.cases, [](const P2pCase& one) { return std::ranges::all_of(one.records, &P2pRecord::bound); });
  });
}

int most_buffers(std::span<const P2pGroup> groups) {
  int most = 1;
  for (const P2pGroup& group : groups) {
    for (const P2pCase& one : group.cases) most = std::max(most, one.records.front()->buffers);
  }
  return most;
}

std::vector<std::string> notes(std::span<const P2pGroup> groups, const Shape& shape) {
  std::vector<std::string> lines{
      "Latency: half a round trip, median; p99: 99 of 100 were faster. Bandwidth, messages: one way, a window at a"};
  const int buffers = most_buffers(groups);
  if (buffers == 1) {
    lines.emplace_back(
        "time, all its messages in one buffer that stays in the cache; from buffers of their own, "
        "large ones are slower.");
  } else {
    lines.push_back(
        fmt::format("time. Messages use {} buffers in turn, the longest fewer (256 MiB in all).", buffers));
  }
  lines.emplace_back("Both ways: the sum of both directions. 1 MB = 10^6 bytes.");
  lines.push_back(all_bound(groups) ? "Each task was bound to a core of its own." : "Tasks were not bound to cores.");
  if (shape.spread) {
    std::size_t runs = 0;
    for (const P2pCase& one : groups.front().cases) runs = std::max(runs, one.records.size());
    lines.push_back(
        fmt::format("Medians of {} runs, taken in alternating order. Spread: (largest - smallest) / median.", runs));
  }
  for (const Yardstick& yardstick : yardsticks()) {
    const bool used = std::ranges::any_of(groups, [&](const P2pGroup& group) {
      return std::ranges::any_of(group.cases, [&](const P2pCase& one) { return one.transport == yardstick.name; });
    });
    if (used) lines.push_back(fmt::format("{}: {}.", yardstick.name, yardstick.description));
  }
  return lines;
}

Grid make_p2p_grid(std::span<const Source> sources, bool full) {
  const std::vector<P2pGroup> groups = group_p2p(sources);
  const Shape shape = shape_of(groups, sources.size(), full);
  Grid grid;
  grid.heading = heading_lines(sources);
  grid.columns = columns(shape);
  for (const P2pGroup& group : groups) grid.blocks.push_back(block_of(group, shape));
  if (!groups.empty()) grid.notes = notes(groups, shape);
  return grid;
}

}  // namespace

std::string render_p2p_table(std::span<const Source> sources, bool full) {
  return text_of(make_p2p_grid(sources, full));
}

std::string render_p2p_markdown(std::span<const Source> sources, bool full) {
  return markdown_of(make_p2p_grid(sources, full));
}

}  // namespace nasvm
