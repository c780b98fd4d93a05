#include "harness/kernel_runs/view.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/scaling_view.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

using RunFigure = FigureOf<RunRecord>;

const std::array<RunFigure, 6>& run_figures() {
  using enum Figure::Ratio;
  constexpr auto aligned = Figure::Digits::aligned;
  constexpr auto no_spread = Figure::Spread::none;
  constexpr auto any = RunFigure::Of::any;
  static const std::array<RunFigure, 6> all{{
      {{{"Time", "(s)"}, aligned, Figure::Spread::tenths, shown}, [](const RunRecord& run) { return run.time_s; }},
      {{{"Mop/s", ""}, aligned, no_spread, Figure::Ratio::none, Figure::Middle::of_reciprocals},
       [](const RunRecord& run) { return run.mops; },
       RunFigure::Of::right,
       [](const RunRecord& run) { return run.problem_class != no_class && (run.mops > 0 || !run.verified); }},
      {{{"Comm. vol.", "(MB)"}},
       [](const RunRecord& run) { return static_cast<double>(run.comm.volume_bytes) / 1e6; },
       any},
      {{{"Comm. time", "(s)"}, aligned, no_spread, shown}, [](const RunRecord& run) { return run.comm.time_max_s; }},
      {{{"Messages", ""}, Figure::Digits::whole},
       [](const RunRecord& run) { return static_cast<double>(run.comm.messages); },
       any},
      {{{"Idle time", "(s)"}, aligned, no_spread, shown}, [](const RunRecord& run) { return run.comm.idle_max_s; }},
  }};
  return all;
}

std::string verified_text(const Case& one) {
  return one.wrong() ? failed_text(one.failed(), one.records.size()) : "yes";
}

/// Was any run's number of hosts asked for?
bool has_host_counts(std::span<const Source> sources) {
  return any_record<RunRecord>(sources, [](const RunRecord& run) { return run.host_count > 0; });
}

/// Were programs of others asked for different things?
bool have_other_parameters(const std::vector<Group>& groups) {
  return std::ranges::any_of(
      groups, [&](const Group& group) { return group.first().parameters != groups.front().first().parameters; });
}

std::string parameters_text(const RunRecord& run) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : run.parameters) texts.push_back(fmt::format("{} {}", name, value));
  return joined(texts);
}

CaseTable table_of(const std::vector<Group>& groups, bool with_hosts) {
  const bool with_class = groups.empty() || have_classes(groups);
  // Titles of kernels have theirs.
  const bool with_parameters = !with_class && have_other_parameters(groups);
  std::vector<RunFigure> figures(run_figures().begin(), run_figures().end());
  if (!with_class) std::erase_if(figures, [](const RunFigure& figure) { return figure.meant != nullptr; });
  CaseTable table{{{with_class ? "Kernel" : "Program", "", Align::left}},
                  figures_of(std::span<const RunFigure>(figures)),
                  {{"Verified", "", Align::left}},
                  Ratios::across,
                  {}};
  if (with_class) table.keys.push_back({"Class", "", Align::left});
  if (with_parameters) table.keys.push_back({"Parameters", "", Align::left});
  if (with_hosts) table.keys.push_back({"Hosts", ""});
  table.keys.push_back({"NP", ""});
  for (const Group& group : groups) {
    const RunRecord& run = group.first();
    CaseGroup rows{{kernel_title(run)}, {}};
    if (with_class) rows.keys.emplace_back(1, run.problem_class);
    if (with_parameters) rows.keys.push_back(parameters_text(run));
    if (with_hosts) rows.keys.push_back(run.host_count > 0 ? std::to_string(run.host_count) : "");
    rows.keys.push_back(tasks_text(run));
    for (const Case& one : group.cases) {
      rows.rows.push_back(row_of(one, std::span<const RunFigure>(figures)));
      rows.rows.back().behind = {verified_text(one)};
    }
    table.groups.push_back(std::move(rows));
  }
  return table;
}

std::string verdict_line(std::span<const Source> sources) {
  std::size_t all = 0;
  std::size_t good = 0;
  for (const Source& source : sources) {
    const auto& runs = source.document.records<RunRecord>();
    all += runs.size();
    good += static_cast<std::size_t>(std::ranges::count_if(runs, &RunRecord::verified));
  }
  const std::string line = fmt::format("{} of {} runs verified", good, all);
  return good == all ? line + "." : fmt::format("{}; {} FAILED, and for these no speed is given.", line, all - good);
}

/// Did a library's own collectives carry something? They do not tell when data have arrived.
bool has_native_collectives(std::span<const Source> sources) {
  return std::ranges::any_of(sources, [](const Source& source) {
    return std::ranges::any_of(source.document.records<RunRecord>(), [](const RunRecord& run) {
      const bool ours = run.transport.find("collectives=ours") != std::string::npos;
      return run.np > 1 && run.transport.starts_with("mpi") && !ours;
    });
  });
}

/// How broadcasts between hosts went in the first run of each case.
std::vector<std::string> broadcast_lines(const std::vector<Group>& groups, std::size_t sources) {
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      const RunRecord& run = *one.records.front();
      if (run.comm.broadcasts.empty()) continue;
      std::vector<std::string> ways;
      for (const auto& [way, sent] : run.comm.broadcasts) {
        ways.push_back(fmt::format("{} by {} ({} bytes)", sent.broadcasts, way, sent.bytes));
      }
      std::string what = fmt::format("{}, {}", name_of(group), one.transport);
      if (sources > 1) what += " in " + source_label(one.source);
      if (one.records.size() > 1) what += ", first run";
      lines.push_back(fmt::format("Broadcasts between hosts, {}: {}.", what, joined(ways)));
    }
  }
  return lines;
}

/// Kernels whose broadcasts between hosts were to go some way, and that had none in the time that counts: their rows
/// differ from those without by chance alone.
std::vector<std::string> no_broadcasts_lines(const std::vector<Group>& groups) {
  std::vector<std::string> without;
  std::vector<std::string> with;
  for (const Group& group : groups) {
    const RunRecord& run = group.first();
    const auto is_asked = [](const auto& parameter) { return parameter.first == multicast_parameter; };
    if (std::ranges::none_of(run.parameters, is_asked)) continue;
    const auto has_none = [](const Case& one) { return one.records.front()->comm.broadcasts.empty(); };
    std::vector<std::string>& works = std::ranges::all_of(group.cases, has_none) ? without : with;
    works.push_back(run.kernel + (is_default_variant(run.kernel, run.variant) ? "" : " " + run.variant));
  }
  std::erase_if(without, [&with](const std::string& work) { return std::ranges::find(with, work) != with.end(); });
  if (without.empty()) return {};
  return {fmt::format("No broadcasts between hosts in the timed region of {}: --multicast changes nothing there.",
                      joined(distinct(without, std::identity())))};
}

/// 0 where it was asked for: then the rows say it.
std::size_t hosts_used(const RunRecord& run) {
  std::set<std::string_view> hosts;
  if (run.host_count > 0) return 0;
  for (const RankRecord& rank : run.comm.by_rank) hosts.insert(rank.host);
  return hosts.size();
}

std::vector<std::string> notes(std::span<const Source> sources, const std::vector<Group>& groups,
                               const CaseTable& table) {
  std::vector<std::string> lines{verdict_line(sources)};
  if (table.most_repeats() > 1) {
    lines.push_back(
        fmt::format("Medians of {} runs. Spread: (longest - shortest) / median time; of a ratio, "
                    "from five runs on: its 95 % interval.",
                    table.repeats_text()));
  } else if (!sources.front().document.records<RunRecord>().empty()) {
    lines.emplace_back(one_run_note);
  }
  lines.emplace_back("Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.");
  if (has_native_collectives(sources)) {
    lines.emplace_back(
        "Idle time inside mpi's own collectives cannot be seen and counts as 0 (mpi:collectives=ours shows it).");
  }
  std::ranges::move(fewer_hosts_lines<RunRecord>(sources, hosts_used), std::back_inserter(lines));
  std::ranges::move(broadcast_lines(groups, sources.size()), std::back_inserter(lines));
  std::ranges::move(no_broadcasts_lines(groups), std::back_inserter(lines));
  for (std::string& line : condition_lines<RunRecord>(sources)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::vector<Grid> run_grids(std::span<const Source> sources, Columns) {
  const std::vector<Group> groups = group_runs(sources);
  const CaseTable table = table_of(groups, has_host_counts(sources));
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = notes(sources, groups, table);
  std::vector<Grid> grids{std::move(grid)};
  if (auto scaling = scaling_grid_below(sources)) grids.push_back(std::move(*scaling));
  return grids;
}

std::vector<std::string> optional_run_columns(std::span<const Source> sources) {
  std::vector<std::string> columns;
  if (has_host_counts(sources)) columns.emplace_back("host_count");
  if (any_record<RunRecord>(sources, [](const RunRecord& run) { return !run.parameters.empty(); }))
    columns.emplace_back("parameters");
  return columns;
}

std::string run_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{
      "file",        "kernel",    "class",   "np",           "threads",  "transport",  "variant",     "repeat",
      "verified",    "time_s",    "mops",    "volume_bytes", "messages", "time_max_s", "time_mean_s", "idle_max_s",
      "idle_mean_s", "by_method", "created", "hosts",        "version",  "commit"};
  std::ranges::move(optional_run_columns(sources), std::back_inserter(columns));
  return csv_of<RunRecord>(sources, std::move(columns));
}

}  // namespace nasvm
