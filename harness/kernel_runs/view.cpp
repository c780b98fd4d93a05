#include "harness/report/grid.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {
namespace {

constexpr std::string_view no_figure = "-";

double time_of(const RunRecord& run) { return run.time_s; }
double mops_of(const RunRecord& run) { return run.mops; }
double volume_mb_of(const RunRecord& run) { return static_cast<double>(run.comm.volume_bytes) / 1e6; }
double messages_of(const RunRecord& run) { return static_cast<double>(run.comm.messages); }
double comm_time_of(const RunRecord& run) { return run.comm.time_max_s; }
double idle_time_of(const RunRecord& run) { return run.comm.idle_max_s; }

using Figure = double (*)(const RunRecord&);

/// Which columns the table has beside the fixed ones.
struct Shape {
  bool files = false;
  bool spread = false;
  std::size_t most_runs = 1;
};

Shape shape_of(std::span<const Group> groups, std::size_t sources) {
  Shape shape;
  shape.files = sources > 1;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) shape.most_runs = std::max(shape.most_runs, one.runs.size());
  }
  shape.spread = shape.most_runs > 1;
  return shape;
}

std::vector<Column> columns(const Shape& shape) {
  std::vector<Column> all{{"Kernel", "", Align::left}, {"Class", "", Align::left}, {"NP", "", Align::right}};
  if (shape.files) all.push_back({"File", "", Align::left});
  all.push_back({"Transport", "", Align::left});
  all.push_back({"Time", "(s)", Align::right});
  if (shape.spread) all.push_back({"Spread", "", Align::right});
  for (const auto& [title, unit] : {std::pair{"Mop/s", ""},
                                    {"Comm. vol.", "(MB)"},
                                    {"Comm. time", "(s)"},
                                    {"Messages", ""},
                                    {"Idle time", "(s)"}}) {
    all.push_back({title, unit, Align::right});
  }
  all.push_back({"Verified", "", Align::left});
  return all;
}

std::string kernel_title(const Group& group) {
  const Kernel* kernel = find_kernel(group.kernel);
  std::string title = kernel != nullptr ? std::string(kernel->title) : group.kernel;
  if (kernel != nullptr && kernel->variants.front().name == group.variant) return title;
  return group.variant.empty() ? title : title + " " + group.variant;
}

std::string tasks_text(const Group& group) {
  return group.threads == 1 ? std::to_string(group.np) : fmt::format("{} x {}", group.np, group.threads);
}

/// What stands in front of the transport: the group's name in its first row only.
std::vector<std::string> row_begin(const Group& group, const Shape& shape, bool first, const std::string& file) {
  std::vector<std::string> cells(3);
  if (first) cells = {kernel_title(group), std::string(1, group.problem_class), tasks_text(group)};
  if (shape.files) cells.push_back(file);
  return cells;
}

/// The medians of one figure for the cases of a group, with their points below each other; "-" where it is a time or
/// a speed of a case that did not verify.
std::vector<std::string> figure_cells(const Group& group, Figure figure, bool depends_on_speed) {
  std::vector<double> medians;
  for (const Case& one : group.cases) {
    const bool hidden = depends_on_speed && one.failed() > 0;
    medians.push_back(hidden ? std::numeric_limits<double>::quiet_NaN() : median(one.all(figure)));
  }
  std::vector<std::string> cells;
  for (const double value : medians) cells.push_back(fixed_text(value, decimals_for(medians)));
  return cells;
}

std::string messages_text(const Case& one) { return fmt::format("{:.0f}", median(one.all(messages_of))); }

std::string spread_text(const Case& one) {
  if (one.failed() > 0) return std::string(no_figure);
  const Summary time = summarize(one.times());
  return one.runs.size() < 2 ? "" : fmt::format("{:.1f} %", 100 * (time.max - time.min) / time.median);
}

std::string verified_text(const Case& one) {
  if (one.failed() == 0) return "yes";
  return one.runs.size() == 1 ? "FAILED" : fmt::format("FAILED {}/{}", one.failed(), one.runs.size());
}

std::vector<Row> case_rows(const Group& group, const Shape& shape) {
  const auto time = figure_cells(group, time_of, true);
  const auto mops = figure_cells(group, mops_of, true);
  const auto volume = figure_cells(group, volume_mb_of, false);
  const auto comm_time = figure_cells(group, comm_time_of, true);
  const auto idle_time = figure_cells(group, idle_time_of, true);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const Case& one = group.cases[i];
    std::vector<std::string> cells = row_begin(group, shape, i == 0, source_label(one.source));
    cells.insert(cells.end(), {one.transport, time[i]});
    if (shape.spread) cells.push_back(spread_text(one));
    cells.insert(cells.end(),
                 {mops[i], volume[i], comm_time[i], messages_text(one), idle_time[i], verified_text(one)});
    rows.push_back({std::move(cells)});
  }
  return rows;
}

std::string ratio_text(const Comparison& pair, Figure figure) {
  return factor_text(median(pair.numerator->all(figure)) / median(pair.denominator->all(figure)));
}

std::string interval_text(const Comparison& pair) {
  if (pair.numerator->runs.size() < 2 || pair.denominator->runs.size() < 2) return "";
  const Interval ratio = ratio_of_medians(pair.numerator->times(), pair.denominator->times());
  return fmt::format("{:.2f}-{:.2f}", ratio.low, ratio.high);
}

Row ratio_row(const Group& group, const Comparison& pair, const Shape& shape) {
  const bool in_one_file = pair.numerator->source == pair.denominator->source;
  Row row{row_begin(group, shape, false, in_one_file ? source_label(pair.numerator->source) : ""), true};
  row.cells.push_back(pair.name);
  row.cells.push_back(ratio_text(pair, time_of));
  if (shape.spread) row.cells.push_back(interval_text(pair));
  row.cells.insert(row.cells.end(), 2, "");
  row.cells.push_back(ratio_text(pair, comm_time_of));
  row.cells.push_back("");
  row.cells.push_back(ratio_text(pair, idle_time_of));
  row.cells.push_back("");
  return row;
}

Block block_of(const Group& group, std::span<const Source> sources, const Shape& shape) {
  Block block{case_rows(group, shape)};
  for (const Comparison& pair : comparisons(group, sources)) {
    if (pair.numerator->failed() + pair.denominator->failed() == 0)
      block.rows.push_back(ratio_row(group, pair, shape));
  }
  return block;
}

std::string verdict_line(std::span<const Source> sources) {
  std::size_t all = 0;
  std::size_t good = 0;
  for (const Source& source : sources) {
    all += source.document.runs.size();
    for (const RunRecord& run : source.document.runs) good += run.verified ? 1 : 0;
  }
  const std::string line = fmt::format("{} of {} runs verified", good, all);
  return good == all ? line + "." : fmt::format("{}; {} FAILED, and for these no speed is given.", line, all - good);
}

/// Did a library's own collectives carry something? They do not tell when data have arrived.
bool has_native_collectives(std::span<const Source> sources) {
  return std::ranges::any_of(sources, [](const Source& source) {
    return std::ranges::any_of(source.document.runs, [](const RunRecord& run) {
      const bool ours = run.transport.find("collectives=ours") != std::string::npos;
      return run.np > 1 && run.transport.starts_with("mpi") && !ours;
    });
  });
}

std::vector<std::string> notes(std::span<const Source> sources, const Shape& shape) {
  std::vector<std::string> lines{verdict_line(sources)};
  if (shape.spread) {
    lines.push_back(
        fmt::format("Medians of {}{} runs. Spread: (longest - shortest) / median time; of a ratio: its 95 % "
                    "interval.",
                    shape.files ? "up to " : "", shape.most_runs));
  }
  lines.push_back("Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.");
  if (has_native_collectives(sources)) {
    lines.push_back(
        "Idle time inside mpi's own collectives cannot be seen and counts as 0 (mpi:collectives=ours shows it).");
  }
  return lines;
}

/// The first and the last case of one document; both null when it has none.
std::pair<const Case*, const Case*> ends_in(const Group& group, std::size_t source) {
  std::pair<const Case*, const Case*> ends{nullptr, nullptr};
  for (const Case& one : group.cases) {
    if (one.source != source) continue;
    if (ends.first == nullptr) ends.first = &one;
    ends.second = &one;
  }
  return ends;
}

const Case* case_in(const Group& group, const std::string& transport, std::size_t source) {
  const auto found = std::find_if(group.cases.begin(), group.cases.end(), [&](const Case& one) {
    return one.transport == transport && one.source == source;
  });
  return found == group.cases.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Comparison> comparisons(const Group& group, std::span<const Source> sources) {
  std::vector<Comparison> pairs;
  if (group.cases.size() < 2) return pairs;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const auto [first, last] = ends_in(group, source);
    if (first == last) continue;
    pairs.push_back({first->transport + "/" + last->transport, first, last});
  }
  const std::size_t last = sources.size() - 1;
  for (const Case& one : group.cases) {
    const Case* other = one.source == 0 && last != 0 ? case_in(group, one.transport, last) : nullptr;
    if (other == nullptr) continue;
    pairs.push_back({fmt::format("{} {}/{}", one.transport, source_label(0), source_label(last)), &one, other});
  }
  return pairs;
}

Grid make_grid(std::span<const Source> sources) {
  const std::vector<Group> groups = group_runs(sources);
  const Shape shape = shape_of(groups, sources.size());
  Grid grid{heading_lines(sources), columns(shape), {}, notes(sources, shape)};
  for (const Group& group : groups) grid.blocks.push_back(block_of(group, sources, shape));
  return grid;
}

}  // namespace nasvm
