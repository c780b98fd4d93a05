#include "harness/commands/roofline/view.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/roofline/bound.hpp"
#include "harness/document/csv.hpp"
#include "harness/kernel_runs/case_columns.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

const LimitRecord* find_limit(const std::vector<LimitRecord>& limits, const std::string& what, int cores) {
  const auto found = std::ranges::find_if(
      limits, [&](const LimitRecord& limit) { return limit.what == what && limit.cores == cores; });
  return found == limits.end() ? nullptr : &*found;
}

std::string read_text(const LimitRecord& limit) {
  return fmt::format("{:.1f}", limit.what == compute_limit ? limit.gflop_s : limit.read_gb_s);
}

std::string triad_text(const LimitRecord& limit) {
  return limit.what == compute_limit ? "" : fmt::format("{:.1f}", limit.triad_gb_s);
}

/// Of rows that show what is limited.
ColumnsOf<std::string> limit_columns(const std::vector<LimitRecord>& limits) {
  ColumnsOf<std::string> columns{
      {{"Limit", "", Align::left},
       [](const std::string& what) { return what == compute_limit ? "multiply-add" : what; }},
      {{"Unit", "", Align::left},
       [](const std::string& what) { return what == compute_limit ? "GFLOP/s" : "GB/s"; }}};
  for (const int cores : distinct(limits, &LimitRecord::cores)) {
    const auto add = [&](const char* unit, std::string (*text)(const LimitRecord&)) {
      columns.push_back({{counted(cores, "core"), unit}, [&limits, cores, text](const std::string& what) {
                           const LimitRecord* limit = find_limit(limits, what, cores);
                           return limit == nullptr ? "" : text(*limit);
                         }});
    };
    add("holds", [](const LimitRecord& limit) { return capacity_text(limit.bytes); });
    add("read", read_text);
    add("triad", triad_text);
  }
  return columns;
}

Grid limit_grid(const Source& source) {
  const std::vector<LimitRecord>& limits = source.document.records<LimitRecord>();
  const ColumnsOf<std::string> columns = limit_columns(limits);
  return {heading_lines(std::span(&source, 1)),
          heads_of(columns),
          {block_of(columns, distinct(limits, &LimitRecord::what))},
          {"Measured before the runs; triad: a = b + s c, 24 bytes for each element. 1 GB = 10^9 bytes."}};
}

/// The work of that run, or nullptr.
const WorkRecord* find_work(const Document& document, const RunRecord& run) {
  const auto& works = document.records<WorkRecord>();
  const auto found = std::ranges::find_if(works, [&](const WorkRecord& work) {
    return work.kernel == run.kernel && work.problem_class == run.problem_class && work.np == run.np &&
           work.variant == run.variant;
  });
  return found == works.end() ? nullptr : &*found;
}

/// A case beside what limits it.
struct BoundCase {
  const Case& runs;
  const WorkRecord& work;
  Bound bound;
  double time_s;  ///< not a number when a result was wrong

  [[nodiscard]] const RunRecord& run() const { return *runs.records.front(); }
};

BoundCase bound_case(const Case& one, const WorkRecord& work, const Document& document) {
  const RunRecord& run = *one.records.front();
  return {one, work, bound_of(work, run.np * run.threads, document.records<LimitRecord>()),
          one.median_of(&RunRecord::time_s)};
}

std::string intensity_text(const BoundCase& one) {
  const double intensity = one.work.operations / one.work.bytes;
  return fixed_text(intensity, intensity < 10 ? 2 : 0);
}

std::string reached_text(const BoundCase& one) {
  return one.runs.wrong() ? "-" : fmt::format("{:.0f} %", 100 * one.bound.seconds() / one.time_s);
}

const ColumnsOf<BoundCase>& bound_columns() {
  static const auto columns = [] {
    auto all = case_columns<BoundCase>(&BoundCase::run);
    const ColumnsOf<BoundCase> figures{
        {{"Time", "(s)"}, [](const auto& one) { return number_text(one.time_s); }},
        {{"Gop/s", ""}, [](const auto& one) { return number_text(one.work.operations * 1e-9 / one.time_s); }},
        {{"GB/s", ""}, [](const auto& one) { return number_text(one.work.bytes * 1e-9 / one.time_s); }},
        {{"Op/byte", ""}, intensity_text},
        {{"Data in", "", Align::left}, [](const auto& one) { return one.bound.level; }},
        {{"Bound by", "", Align::left}, [](const auto& one) { return one.bound.what(); }},
        {{"Bound", "(s)"}, [](const auto& one) { return number_text(one.bound.seconds()); }},
        {{"Reached", ""}, reached_text},
        {{"Verified", "", Align::left}, [](const auto& one) { return one.runs.wrong() ? "FAILED" : "yes"; }}};
    all.insert(all.end(), figures.begin(), figures.end());
    return all;
  }();
  return columns;
}

Grid case_grid(const Source& source) {
  Grid grid;
  grid.columns = heads_of(bound_columns());
  std::size_t most_runs = 1;
  for (const Group& group : group_runs(std::span(&source, 1))) {
    const WorkRecord* work = find_work(source.document, group.first());
    if (work == nullptr) continue;
    Block& block = grid.blocks.emplace_back();
    for (const Case& one : group.cases) {
      most_runs = std::max(most_runs, one.records.size());
      block.rows.push_back(row_of(bound_columns(), bound_case(one, *work, source.document)));
    }
  }
  grid.notes = {
      "Operations and bytes: the least that the algorithm needs (docs/roofline.md), not what was counted in the "
      "machine.",
      "Bound: all operations at the multiply-add limit, or all bytes at the limit (read or triad) of the level that "
      "holds",
      "the arrays, whichever takes longer. Reached: bound / time."};
  if (most_runs > 1) grid.notes.push_back(fmt::format("Time: the median of {} runs.", most_runs));
  for (std::string& line : condition_lines<RunRecord>(std::span(&source, 1))) grid.notes.push_back(std::move(line));
  return grid;
}

Cells cells_of_bound(const Bound& bound) {
  return {{"level", bound.level},
          {"bound", bound.what()},
          {"compute_s", fmt::format("{}", bound.compute_s)},
          {"transfer_s", fmt::format("{}", bound.transfer_s)}};
}

}  // namespace

std::vector<Grid> roofline_grids(std::span<const Source> sources, Columns) {
  std::vector<Grid> grids;
  for (const Source& source : sources) {
    grids.push_back(limit_grid(source));
    grids.push_back(case_grid(source));
  }
  return grids;
}

std::string roofline_csv(std::span<const Source> sources) {
  CsvTable table({"file", "kernel", "class", "np", "threads", "transport", "variant", "repeat", "verified", "time_s",
                  "operations", "bytes", "working_set_bytes", "level", "bound", "compute_s", "transfer_s", "created",
                  changed_column});
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      const WorkRecord* work = find_work(source.document, run);
      if (work == nullptr) continue;
      const Bound bound = bound_of(*work, run.np * run.threads, source.document.records<LimitRecord>());
      table.add(source,
                together({cells_of(description_of(run)), cells_of(description_of(*work)), cells_of_bound(bound)}));
    }
  }
  return table.text();
}

}  // namespace nasvm
