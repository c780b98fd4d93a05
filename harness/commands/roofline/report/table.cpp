#include <algorithm>

#include <fmt/format.h>

#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/commands/roofline/bound.hpp"
#include "harness/commands/roofline/report/report.hpp"
#include "harness/commands/roofline/report/work_of.hpp"
#include "harness/statistics.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {
namespace {

constexpr std::string_view no_figure = "-";

template <typename Value, typename Get>
std::vector<Value> distinct(const std::vector<LimitRecord>& limits, Get get) {
  std::vector<Value> values;
  for (const LimitRecord& limit : limits) {
    const Value value = get(limit);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

/// "48 KiB", "32 MiB": caches are counted in powers of two.
std::string capacity_text(std::uint64_t bytes) {
  if (bytes == 0) return "";
  return bytes < (1 << 20) ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

/// Both cells of one limit and number of cores.
std::vector<std::string> limit_cells(const LimitRecord& limit) {
  if (limit.gflop_s > 0) return {fmt::format("{:.1f}", limit.gflop_s), ""};
  return {fmt::format("{:.1f}", limit.read_gb_s), fmt::format("{:.1f}", limit.triad_gb_s)};
}

Grid limit_grid(const Source& source) {
  const std::vector<LimitRecord>& limits = source.document.limits;
  const auto counts = distinct<int>(limits, [](const LimitRecord& limit) { return limit.cores; });
  Grid grid{heading_lines(std::span(&source, 1)), {{"Limit", "", Align::left}, {"Unit", "", Align::left}}, {}, {}};
  for (const int cores : counts) {
    const std::string title = fmt::format("{} {}", cores, cores == 1 ? "core" : "cores");
    grid.columns.push_back({title, "holds"});
    grid.columns.push_back({title, "read"});
    grid.columns.push_back({title, "triad"});
  }
  grid.blocks.emplace_back();
  for (const auto& what : distinct<std::string>(limits, [](const LimitRecord& limit) { return limit.what; })) {
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

std::string tasks_text(const Group& group) {
  return group.threads == 1 ? std::to_string(group.np) : fmt::format("{} x {}", group.np, group.threads);
}

Row case_row(const Group& group, const Case& one, const WorkRecord& work, const Document& document) {
  const Kernel* kernel = find_kernel(group.kernel);
  Row row{{kernel == nullptr ? group.kernel : std::string(kernel->title), std::string(1, group.problem_class),
           tasks_text(group), one.transport}};
  const Bound bound = bound_of(work, group.np * group.threads, document.limits);
  const double intensity = work.operations / work.bytes;
  const bool good = one.failed() == 0;
  const double time_s = median(one.times());
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
    const WorkRecord* work = find_work(source.document, group.kernel, group.problem_class, group.np, group.variant);
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

std::string render(std::span<const Source> sources, std::string (*text_of_grid)(const Grid&)) {
  std::string text;
  for (const Source& source : sources) {
    if (!text.empty()) text += "\n";
    text += text_of_grid(limit_grid(source)) + text_of_grid(case_grid(source));
  }
  return text;
}

}  // namespace

std::string render_roofline_table(std::span<const Source> sources) { return render(sources, text_of); }
std::string render_roofline_markdown(std::span<const Source> sources) { return render(sources, markdown_of); }

}  // namespace nasvm
