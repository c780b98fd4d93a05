#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/collective/views.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

using Collectives = std::span<const GroupOf<CollectiveRecord>>;

constexpr auto whole = Figure::Digits::whole;
constexpr auto aligned = Figure::Digits::aligned;
constexpr auto spread = Figure::Spread::percent;
constexpr auto compared = Figure::Ratio::shown;
constexpr auto right = FigureOf<CollectiveRecord>::Of::right;

std::span<const P2pFigure<CollectiveRecord>> all_figures() {
  static const std::vector<P2pFigure<CollectiveRecord>> all{
      {{{{"Time", "(us)"}, aligned, spread, compared}, [](const CollectiveRecord& r) { return r.time.median_us; }}},
      {{{{"Least", "(us)"}}, [](const CollectiveRecord& r) { return r.time.min_us; }}, Columns::all},
      {{{{"Mean", "(us)"}}, [](const CollectiveRecord& r) { return r.time.mean_us; }}, Columns::all},
      {{{{"p99", "(us)"}},
        [](const CollectiveRecord& r) { return r.time.p99_us; },
        right,
        has_p99<CollectiveRecord>}},
      {{{{"Most", "(us)"}}, [](const CollectiveRecord& r) { return r.time.max_us; }}, Columns::all},
      {{{{"Average", "(us)"}, aligned, spread, compared}, [](const CollectiveRecord& r) { return r.average_us; }}},
      {{{{"In a row", "(us)"}, aligned, spread, compared},
        [](const CollectiveRecord& r) { return r.back_to_back_us; }}},
      {{{{"Calls", ""}, whole}, [](const CollectiveRecord& r) { return static_cast<double>(r.iterations); }},
       Columns::all},
  };
  return all;
}

std::vector<std::string> notes(Collectives groups, const CaseTable& table) {
  std::vector<std::string> lines{
      "Time: of a call between two barriers, its slowest task's, median; p99: 99 of 100 were faster. Average: over",
      "tasks and calls, as the OSU programs have it. In a row: calls without anything between them, mean. Bytes: the",
      "vector of each task (reductions), the message (broadcast), the block of each task (allgather) or of each pair",
      "of tasks (alltoall)."};
  if (lacks_p99(groups)) lines.emplace_back(no_p99_note);
  add_binding_note(lines, groups, "Tasks were not bound to cores.");
  if (table.most_repeats() > 1) {
    lines.push_back(repeats_note(table.repeats_text()) + "; of a ratio, from five runs on: its 95 % interval.");
  }
  return lines;
}

}  // namespace

std::vector<GroupOf<CollectiveRecord>> group_collectives(std::span<const Source> sources) {
  return group_by_size<CollectiveRecord>(sources, [](const CollectiveRecord& a, const CollectiveRecord& b) {
    return a.collective == b.collective && a.np == b.np;
  });
}

std::vector<Grid> collective_grids(std::span<const Source> sources, Columns columns) {
  const std::vector<GroupOf<CollectiveRecord>> groups = group_collectives(sources);
  const std::vector<FigureOf<CollectiveRecord>> figures = figures_among(all_figures(), columns);
  CaseTable table;
  table.keys = {{"Collective", "", Align::left}, {"NP", "", Align::right}, {"Bytes", "", Align::right}};
  table.figures = figures_of<CollectiveRecord>(figures);
  table.ratios = Ratios::within;
  add_groups<CollectiveRecord>(table, groups, figures, [](const CollectiveRecord& r) {
    return std::vector<std::string>{r.collective, std::to_string(r.np), std::to_string(r.bytes)};
  });
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = notes(groups, table);
  const auto hosts_used = [](const CollectiveRecord& record) { return record.hosts_used; };
  for (std::string& line : fewer_hosts_lines<CollectiveRecord>(sources, hosts_used)) {
    grid.notes.push_back(std::move(line));
  }
  for (std::string& line : condition_lines<CollectiveRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::vector<Compared> compared_collectives(const Document& document) {
  static constexpr FigureKind in_a_row{"in a row", "us"};
  std::vector<Compared> all;
  for (const CollectiveRecord& record : document.records<CollectiveRecord>()) {
    const std::string name = fmt::format("{} of {}, {}, {}{}", record.collective, counted(record.bytes, "byte"),
                                         counted(record.np, "task"), record.transport, binding_text(record.bound));
    add_known(all, {name, latency_kind, record.time.median_us, is_right(record), {}, record.sampled});
    add_known(all, {name, in_a_row, record.back_to_back_us, is_right(record), {}, record.sampled});
  }
  return all;
}

std::string collective_csv(std::span<const Source> sources) { return p2p_csv<CollectiveRecord>(sources); }

}  // namespace nasvm
