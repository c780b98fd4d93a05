#include "harness/commands/exec/view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/commands/exec/heat_map.hpp"
#include "harness/commands/exec/record.hpp"
#include "harness/document/csv.hpp"
#include "harness/kernel_runs/rank_view.hpp"
#include "harness/kernel_runs/scaling.hpp"
#include "harness/kernel_runs/view.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// Functions below this share of a run's time are left out, unless they move data.
constexpr double least_share = 0.0001;

bool is_worth_a_row(const CallRecord& call, const RunRecord& run) {
  return call.bytes > 0 || call.time_s >= least_share * run.time_s;
}

std::string percent_text(double part, double whole) {
  return whole > 0 && std::isfinite(part) ? fmt::format("{:.1f}", 100 * part / whole) : "-";
}

/// What stands in front of the rows of a case; blank in all but the first.
std::vector<Column> key_columns(std::size_t sources) {
  std::vector<Column> columns{{"Program", "", Align::left}, {"NP", ""}};
  if (sources > 1) columns.push_back({"File", "", Align::left});
  columns.push_back({"Transport", "", Align::left});
  return columns;
}

std::vector<std::string> keys_of(const Case& one, std::size_t sources, bool is_first) {
  const RunRecord& run = *one.records.front();
  std::vector<std::string> keys{run.kernel, std::to_string(run.np)};
  if (sources > 1) keys.push_back(source_label(one.source));
  keys.push_back(run.transport);
  return is_first ? keys : std::vector<std::string>(keys.size());
}

/// The records of a case's first repeat, in a list of the document.
template <typename Record>
std::vector<const Record*> records_of(const Case& one, std::span<const Source> sources) {
  const RunRecord& run = *one.records.front();
  std::vector<const Record*> found;
  for (const Record& record : sources[one.source].document.records<Record>()) {
    const bool same = record.kernel == run.kernel && record.np == run.np && record.transport == run.transport &&
                      record.repeat == run.repeat;
    if (same) found.push_back(&record);
  }
  return found;
}

// --- calls ---------------------------------------------------------------------------------------------------------

/// The same number of digits for all times of a case.
int time_decimals(const std::vector<const CallRecord*>& calls) {
  std::vector<double> times;
  for (const CallRecord* call : calls) times.push_back(call->time_s);
  return decimals_for(times);
}

/// A function with a row for one case of a group has one for each, so that they can be compared.
std::set<std::string_view> shown_functions(const Group& group, std::span<const Source> sources) {
  std::set<std::string_view> shown;
  for (const Case& one : group.cases) {
    for (const CallRecord* call : records_of<CallRecord>(one, sources)) {
      if (is_worth_a_row(*call, *one.records.front())) shown.insert(call->function);
    }
  }
  return shown;
}

Block calls_block(const Case& one, std::span<const Source> sources, const std::set<std::string_view>& shown) {
  const RunRecord& run = *one.records.front();
  std::vector<const CallRecord*> calls = records_of<CallRecord>(one, sources);
  std::erase_if(calls, [&](const CallRecord* call) { return !shown.contains(call->function); });
  const int decimals = time_decimals(calls);
  Block block;
  for (const CallRecord* call : calls) {
    Row row{keys_of(one, sources.size(), block.rows.empty())};
    for (std::string cell :
         {call->function, std::to_string(call->calls), fixed_text(call->time_min_s, decimals),
          fixed_text(call->time_mean_s, decimals), fixed_text(call->time_s, decimals),
          percent_text(call->time_mean_s, run.time_s), number_text(static_cast<double>(call->bytes) / 1e6)}) {
      row.cells.push_back(std::move(cell));
    }
    block.rows.push_back(std::move(row));
  }
  return block;
}

Grid calls_grid(const std::vector<Group>& groups, std::span<const Source> sources) {
  Grid grid;
  grid.heading = {"Calls of MPI"};
  grid.columns = key_columns(sources.size());
  for (const Column& column : {Column{"Function", "", Align::left},
                               {"Calls", ""},
                               {"Least", "(s)"},
                               {"Mean", "(s)"},
                               {"Most", "(s)"},
                               {"Of run", "(%)"},
                               {"Given", "(MB)"}}) {
    grid.columns.push_back(column);
  }
  for (const Group& group : groups) {
    const std::set<std::string_view> shown = shown_functions(group, sources);
    for (const Case& one : group.cases) {
      if (Block block = calls_block(one, sources, shown); !block.rows.empty())
        grid.blocks.push_back(std::move(block));
    }
  }
  grid.notes = {
      "Of the first run. Calls: of all tasks. Least, mean, most: the time that a task has spent in them; of run: the "
      "mean's share. Given: what they were given to send. Functions below 0.01 % that were given nothing are left "
      "out; JSON and CSV have all."};
  return grid;
}

// --- efficiency ----------------------------------------------------------------------------------------------------

/// Where runs of several sizes are compared, their own table has these figures.
Grid efficiency_grid(const std::vector<ScalingSeries>& all, std::size_t sources) {
  Grid grid;
  grid.heading = {"Efficiency"};
  grid.columns = key_columns(sources);
  for (const char* title : {"Parallel eff.", "Load balance", "Comm. eff."}) grid.columns.push_back({title, "(%)"});
  grid.blocks.emplace_back();
  for (const ScalingSeries& series : all) {
    const ScalingPoint& point = series.points.front();
    Row row{keys_of(point.repeats, sources, true)};
    for (const double share : {point.parallel_efficiency(), point.load_balance(), point.communication_efficiency()}) {
      row.cells.push_back(percent_text(share, 1));
    }
    grid.blocks.front().rows.push_back(std::move(row));
  }
  grid.notes = {
      "Useful time: a task's time outside of MPI. Load balance: its mean / its maximum. Comm. eff.: its maximum / "
      "time. Parallel eff.: the product (docs/scaling.md)."};
  return grid;
}

// --- lengths -------------------------------------------------------------------------------------------------------

std::string range_text(std::uint64_t least) {
  return least < 2 ? std::to_string(least) : fmt::format("{} to {}", least, 2 * least - 1);
}

Block lengths_block(const Case& one, std::span<const Source> sources) {
  Block block;
  for (const LengthRecord* length : records_of<LengthRecord>(one, sources)) {
    Row row{keys_of(one, sources.size(), block.rows.empty())};
    row.cells.push_back(range_text(length->bytes));
    row.cells.push_back(std::to_string(length->messages));
    block.rows.push_back(std::move(row));
  }
  return block;
}

Grid lengths_grid(const std::vector<Group>& groups, std::span<const Source> sources) {
  Grid grid;
  grid.heading = {"Messages by length, those that the program sends from point to point"};
  grid.columns = key_columns(sources.size());
  grid.columns.push_back({"Bytes", ""});
  grid.columns.push_back({"Messages", ""});
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      if (Block block = lengths_block(one, sources); !block.rows.empty()) grid.blocks.push_back(std::move(block));
    }
  }
  return grid;
}

// --- heat maps -----------------------------------------------------------------------------------------------------

/// One for each size: what is sent does not depend on the transport.
void append_heat_maps(std::vector<Grid>& grids, const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    const RunRecord& run = group.first();
    if (run.np > 1 && !run.comm.by_pair.empty()) grids.push_back(heat_map_grid(run, name_of(group)));
  }
}

void append_calls(std::vector<Grid>& grids, const std::vector<Group>& groups, std::span<const Source> sources) {
  const std::vector<ScalingSeries> series = scaling_series(sources);
  if (!series.empty() && !has_sizes(series)) grids.push_back(efficiency_grid(series, sources.size()));
  Grid calls = calls_grid(groups, sources);
  if (!calls.blocks.empty()) grids.push_back(std::move(calls));
}

}  // namespace

std::vector<Grid> exec_grids(std::span<const Source> sources, Columns columns) {
  std::vector<Grid> grids = run_grids(sources, columns);
  append_calls(grids, group_runs(sources), sources);
  return grids;
}

std::vector<Grid> exec_rank_grids(std::span<const Source> sources, Columns columns) {
  const std::vector<Group> groups = group_runs(sources);
  std::vector<Grid> grids = rank_grids(sources, columns);
  append_heat_maps(grids, groups);
  append_calls(grids, groups, sources);
  Grid lengths = lengths_grid(groups, sources);
  if (!lengths.blocks.empty()) grids.push_back(std::move(lengths));
  return grids;
}

std::vector<Grid> call_grids(std::span<const Source> sources, Columns) {
  Grid grid = calls_grid(group_runs(sources), sources);
  std::vector<std::string> heading = heading_lines(sources);
  grid.heading.insert(grid.heading.begin(), heading.begin(), heading.end());
  return {std::move(grid)};
}

std::string call_csv(std::span<const Source> sources) {
  return csv_of<CallRecord>(
      sources, {"file", "kernel", "np", "transport", "repeat", "function", "calls", "bytes", "time_s", "time_mean_s",
                "time_min_s", "created", "hosts", "version", "commit"});
}

}  // namespace nasvm
