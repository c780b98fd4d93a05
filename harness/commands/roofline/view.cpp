#include "harness/commands/roofline/view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/commands/roofline/bound.hpp"
#include "harness/document/csv.hpp"
#include "harness/kernel_runs/cases.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

constexpr std::string_view no_figure = "-";

/// Both cells of one limit and number of cores.
std::vector<std::string> limit_cells(const LimitRecord& limit) {
  if (limit.gflop_s > 0) return {fmt::format("{:.1f}", limit.gflop_s), ""};
  return {fmt::format("{:.1f}", limit.read_gb_s), fmt::format("{:.1f}", limit.triad_gb_s)};
}

Grid limit_grid(const Source& source) {
  const std::vector<LimitRecord>& limits = source.document.records<LimitRecord>();
  const auto counts = distinct(limits, &LimitRecord::cores);
  Grid grid{heading_lines(std::span(&source, 1)), {{"Limit", "", Align::left}, {"Unit", "", Align::left}}, {}, {}};
  for (const int cores : counts) {
    const std::string title = fmt::format("{} {}", cores, cores == 1 ? "core" : "cores");
    grid.columns.push_back({title, "holds"});
    grid.columns.push_back({title, "read"});
    grid.columns.push_back({title, "triad"});
  }
  grid.blocks.emplace_back();
  for (const auto& what : distinct(limits, &LimitRecord::what)) {
    const bool compute = what == "compute";
    Row row{{compute ? "multiply-add" : what, compute ? "GFLOP/s" : "GB/s"}};
    for (const int cores : counts) {
      const auto found = std::ranges::find_if(
          limits, [&](const LimitRecord& limit) { return limit.what == what && limit.cores == cores; });
      row.cells.push_back(found == limits.end() ? "" : capacity_text(found->bytes));
      const auto cells = found == limits.end() ? std::vector<std::string>(2) : limit_cells(*found);
      row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    }
    grid.blocks.back().rows.push_back(std::move(row));
  }
  grid.notes.push_back("Measured before the runs; triad: a = b + s c, 24 bytes for each element. 1 GB = 10^9 bytes.");
  return grid;
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

Row case_row(const Group& group, const Case& one, const WorkRecord& work, const Document& document) {
  const RunRecord& run = group.first();
  Row row{{kernel_title(run.kernel), std::string(1, run.problem_class), tasks_text(run), one.transport}};
  const Bound bound = bound_of(work, run.np * run.threads, document.records<LimitRecord>());
  const double intensity = work.operations / work.bytes;
  const bool good = !one.wrong();
  const double time_s = median(one.all(&RunRecord::time_s));
  const auto figure = [&](double value) { return good ? number_text(value) : std::string(no_figure); };
  row.cells.insert(
      row.cells.end(),
      {figure(time_s), figure(work.operations * 1e-9 / time_s), figure(work.bytes * 1e-9 / time_s),
       fixed_text(intensity, intensity < 10 ? 2 : 0), bound.level, bound.what(), number_text(bound.seconds()),
       good ? fmt::format("{:.0f} %", 100 * bound.seconds() / time_s) : std::string(no_figure),
       good ? "yes" : "FAILED"});
  return row;
}

Grid case_grid(const Source& source) {
  Grid grid;
  grid.columns = {{"Kernel", "", Align::left},
                  {"Class", "", Align::left},
                  {"NP", ""},
                  {"Transport", "", Align::left},
                  {"Time", "(s)"},
                  {"Gop/s", ""},
                  {"GB/s", ""},
                  {"Op/byte", ""},
                  {"Data in", "", Align::left},
                  {"Bound by", "", Align::left},
                  {"Bound", "(s)"},
                  {"Reached", ""},
                  {"Verified", "", Align::left}};
  for (const Group& group : group_runs(std::span(&source, 1))) {
    const WorkRecord* work = find_work(source.document, group.first());
    if (work == nullptr) continue;
    grid.blocks.emplace_back();
    for (const Case& one : group.cases)
      grid.blocks.back().rows.push_back(case_row(group, one, *work, source.document));
  }
  grid.notes = {
      "Operations and bytes: the least that the algorithm needs (docs/roofline.md), not what was counted in the "
      "machine.",
      "Bound: all operations at the multiply-add limit, or all bytes at the limit (read or triad) of the level that "
      "holds",
      "the arrays, whichever takes longer. Reached: bound / time."};
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
                  "operations", "bytes", "working_set_bytes", "level", "bound", "compute_s", "transfer_s",
                  "created"});
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
