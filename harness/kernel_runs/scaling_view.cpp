#include "harness/kernel_runs/scaling_view.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/kernel_runs/scaling.hpp"
#include "harness/kernel_runs/view.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/report/plot.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// A row: one point, with what its series' rows have in common.
struct Item {
  const ScalingSeries* series;
  const ScalingPoint* point;
  int time_decimals;

  [[nodiscard]] bool is_first() const { return point == &series->points.front(); }
};

using ItemColumns = ColumnsOf<Item>;

std::string percent_text(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f}", 100 * fraction) : "-";
}

std::string speedup_text(double speedup) { return std::isfinite(speedup) ? fmt::format("{:.2f}", speedup) : "-"; }

ItemColumns::value_type percent_column(std::string title, double (ScalingPoint::*efficiency)() const) {
  return {{std::move(title), "(%)"},
          [efficiency](const Item& item) { return percent_text((item.point->*efficiency)()); }};
}

/// Shown in the first row of a series only.
ItemColumns::value_type key_column(std::string title, std::string (*text)(const Item& item)) {
  return {{std::move(title), "", Align::left},
          [text](const Item& item) { return item.is_first() ? text(item) : ""; }};
}

bool uses_several_hosts(const std::vector<ScalingSeries>& all) {
  return std::ranges::any_of(all, [](const ScalingSeries& series) {
    return std::ranges::any_of(series.points, [](const ScalingPoint& point) { return point.hosts > 1; });
  });
}

ItemColumns columns_for(const std::vector<ScalingSeries>& all, std::size_t sources) {
  const bool with_class =
      std::ranges::any_of(all, [](const ScalingSeries& series) { return series.run().problem_class != no_class; });
  ItemColumns columns{key_column(with_class ? "Kernel" : "Program",
                                 [](const Item& item) { return kernel_title(item.series->run()); })};
  if (with_class) {
    columns.push_back(
        key_column("Class", [](const Item& item) { return std::string(1, item.series->run().problem_class); }));
  }
  if (sources > 1)
    columns.push_back(key_column("File", [](const Item& item) { return source_label(item.series->source); }));
  columns.push_back(key_column("Transport", [](const Item& item) { return item.series->run().transport; }));
  if (uses_several_hosts(all)) {
    columns.push_back({{"Hosts", ""}, [](const Item& item) { return std::to_string(item.point->hosts); }});
  }
  columns.push_back({{"NP", ""}, [](const Item& item) { return tasks_text(item.point->run()); }});
  columns.push_back(
      {{"Time", "(s)"}, [](const Item& item) { return fixed_text(item.point->time_s, item.time_decimals); }});
  columns.push_back({{"Speed-up", ""}, [](const Item& item) { return speedup_text(item.point->speedup); }});
  columns.push_back(percent_column("Global eff.", &ScalingPoint::global_efficiency));
  columns.push_back(percent_column("Parallel eff.", &ScalingPoint::parallel_efficiency));
  columns.push_back(percent_column("Load balance", &ScalingPoint::load_balance));
  columns.push_back(percent_column("Comm. eff.", &ScalingPoint::communication_efficiency));
  columns.push_back(
      {{"Comp. scal.", "(%)"}, [](const Item& item) { return percent_text(item.point->computation_scalability); }});
  return columns;
}

std::vector<Item> items_of(const ScalingSeries& series) {
  std::vector<double> times;
  times.reserve(series.points.size());
  for (const ScalingPoint& point : series.points) times.push_back(point.time_s);
  std::vector<Item> items;
  items.reserve(series.points.size());
  for (const ScalingPoint& point : series.points) items.push_back({&series, &point, decimals_for(times)});
  return items;
}

Grid grid_of(const std::vector<ScalingSeries>& all, std::size_t sources) {
  const ItemColumns columns = columns_for(all, sources);
  Grid grid;
  grid.heading = {fmt::format("Scaling: each {} and transport against its smallest NP",
                              columns.front().head.title == "Program" ? "program" : "kernel")};
  grid.columns = heads_of(columns);
  for (const ScalingSeries& series : all) grid.blocks.push_back(block_of(columns, items_of(series)));
  grid.notes = {
      "Useful time: a task's timed region without the time inside message-layer calls. Load balance: its mean / its "
      "maximum.",
      "Comm. eff.: its maximum / time. Parallel eff. = load balance x comm. eff. Comp. scal.: its sum at the "
      "smallest "
      "NP / here.",
      "Global eff. = parallel eff. x comp. scal. The definitions are those of the POP project (docs/scaling.md)."};
  return grid;
}

/// What the record's own cells do not have.
Cells cells_of(const ScalingSeries& series, const ScalingPoint& point) {
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; };
  const ScalingPoint& reference = series.points[series.reference];
  return {{"hosts_used", std::to_string(point.hosts)},
          {"runs", std::to_string(point.repeats.records.size())},
          {"verified", point.repeats.wrong() ? "false" : "true"},
          {"time_s", number(point.time_s)},
          {"speedup", number(point.speedup)},
          {"global_efficiency", number(point.global_efficiency())},
          {"parallel_efficiency", number(point.parallel_efficiency())},
          {"load_balance", number(point.load_balance())},
          {"communication_efficiency", number(point.communication_efficiency())},
          {"computation_scalability", number(point.computation_scalability)},
          {"reference_np", std::to_string(reference.np)},
          {"reference_hosts", std::to_string(reference.hosts)}};
}

// --- the plot ------------------------------------------------------------------------------------------------------

/// "direct", with the file and the number of hosts where there are several.
std::string line_name(const ScalingSeries& series, const ScalingPoint& point, std::size_t sources) {
  std::string name = series.run().transport + hosts_text(point.run().host_count);
  if (sources > 1) name = fmt::format("{}: {}", source_label(series.source), name);
  return name;
}

/// A line for each series and number of hosts that was asked for.
template <typename Figure>
void add_lines(Chart& chart, const ScalingSeries& series, std::size_t sources, Figure figure) {
  for (const ScalingPoint& point : series.points) {
    const std::string name = line_name(series, point, sources);
    if (chart.lines.empty() || chart.lines.back().name != name) chart.lines.push_back({name, {}});
    const double value = std::invoke(figure, point);
    if (std::isfinite(value)) chart.lines.back().points.push_back({static_cast<double>(point.np), value});
  }
}

/// What is reached when nothing is lost: from the smallest number of tasks to the largest.
Line ideal_speedup(std::span<const ScalingSeries> all) {
  double least = all.front().points[all.front().reference].np;
  double most = least;
  for (const ScalingSeries& series : all) {
    for (const ScalingPoint& point : series.points) {
      least = std::min<double>(least, point.np);
      most = std::max<double>(most, point.np);
    }
  }
  return {"ideal", {{least, 1}, {most, most / least}}};
}

/// The two charts of series of one problem.
std::vector<Chart> charts_of(std::span<const ScalingSeries> all, std::size_t sources) {
  const RunRecord& run = all.front().run();
  std::string what = kernel_title(run);
  if (run.problem_class != no_class) what += fmt::format(" class {}", run.problem_class);
  if (run.threads > 1) what += fmt::format(", {} threads a task", run.threads);
  Chart speedup{what + ": speed-up", {"NP", Scale::logarithmic}, {"", Scale::logarithmic}, {}, {ideal_speedup(all)}};
  Chart efficiency{what + ": parallel efficiency", {"NP", Scale::logarithmic}, {"%", Scale::linear, 0, 100}, {}, {}};
  for (const ScalingSeries& series : all) {
    add_lines(speedup, series, sources, &ScalingPoint::speedup);
    add_lines(efficiency, series, sources,
              [](const ScalingPoint& point) { return 100 * point.parallel_efficiency(); });
  }
  return {speedup, efficiency};
}

}  // namespace

std::optional<Grid> scaling_grid_below(std::span<const Source> sources) {
  const std::vector<ScalingSeries> series = scaling_series(sources);
  if (!has_sizes(series)) return std::nullopt;
  return grid_of(series, sources.size());
}

std::vector<Grid> scaling_grids(std::span<const Source> sources, Columns) {
  Grid grid = grid_of(scaling_series(sources), sources.size());
  std::vector<std::string> heading = heading_lines(sources);
  grid.heading.insert(grid.heading.begin(), heading.begin(), heading.end());
  for (std::string& line : condition_lines<RunRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::string scaling_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{"file",
                                   "kernel",
                                   "class",
                                   "np",
                                   "threads",
                                   "hosts_used",
                                   "transport",
                                   "variant",
                                   "runs",
                                   "verified",
                                   "time_s",
                                   "speedup",
                                   "global_efficiency",
                                   "parallel_efficiency",
                                   "load_balance",
                                   "communication_efficiency",
                                   "computation_scalability",
                                   "reference_np",
                                   "reference_hosts",
                                   "created",
                                   "hosts",
                                   "version",
                                   "commit"};
  std::ranges::move(optional_run_columns(sources), std::back_inserter(columns));
  CsvTable table(std::move(columns));
  for (const ScalingSeries& series : scaling_series(sources)) {
    for (const ScalingPoint& point : series.points) {
      table.add(sources[series.source], together({cells_of(series, point), cells_of(description_of(point.run()))}));
    }
  }
  return table.text();
}

std::string render_scaling_svg(const Report& report) {
  const std::vector<ScalingSeries> all = scaling_series(report.sources);
  std::vector<Chart> charts;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto is_other = [&](const ScalingSeries& series) { return !is_same_problem(begin->run(), series.run()); };
    const auto end = std::find_if(begin, all.end(), is_other);
    for (Chart& chart : charts_of({begin, end}, report.sources.size())) charts.push_back(std::move(chart));
    begin = end;
  }
  return svg_of(charts, 2);
}

}  // namespace nasvm
