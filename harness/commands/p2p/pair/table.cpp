#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/pair/views.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/condition_lines.hpp"

namespace nasvm {
namespace {

using Pairs = std::span<const GroupOf<P2pRecord>>;

constexpr auto whole = Figure::Digits::whole;
constexpr auto aligned = Figure::Digits::aligned;
constexpr auto spread = Figure::Spread::percent;
constexpr auto right = FigureOf<P2pRecord>::Of::right;

bool has_payload(const P2pRecord& record) { return record.bytes != 0; }

std::span<const P2pFigure<P2pRecord>> all_figures() {
  static const std::vector<P2pFigure<P2pRecord>> all{
      {{{{"Latency", "(us)"}, aligned, spread}, [](const P2pRecord& r) { return r.latency.median_us; }}},
      {{{{"Least", "(us)"}}, [](const P2pRecord& r) { return r.latency.min_us; }}, Columns::all},
      {{{{"Mean", "(us)"}}, [](const P2pRecord& r) { return r.latency.mean_us; }}, Columns::all},
      {{{{"p99", "(us)"}}, [](const P2pRecord& r) { return r.latency.p99_us; }, right, has_p99<P2pRecord>}},
      {{{{"Most", "(us)"}}, [](const P2pRecord& r) { return r.latency.max_us; }}, Columns::all},
      {{{{"Bandwidth", "(MB/s)"}, aligned, spread},
        [](const P2pRecord& r) { return r.bandwidth.median_mb_s; },
        right,
        has_payload}},
      {{{{"Both ways", "(MB/s)"}},
        [](const P2pRecord& r) { return r.bidirectional.median_mb_s; },
        right,
        has_payload}},
      {{{{"Messages", "(1000/s)"}}, [](const P2pRecord& r) { return r.messages_per_s / 1e3; }}},
      {{{{"Round", "trips"}, whole}, [](const P2pRecord& r) { return static_cast<double>(r.iterations); }},
       Columns::all},
      {{{{"Window", ""}, whole}, [](const P2pRecord& r) { return static_cast<double>(r.window); }}, Columns::all},
  };
  return all;
}

/// For each document how many buffers messages used at most.
std::vector<int> most_buffers(std::span<const Source> sources) {
  std::vector<int> most;
  for (const Source& source : sources) {
    most.push_back(1);
    for (const P2pRecord& record : source.document.records<P2pRecord>()) {
      most.back() = std::max(most.back(), record.buffers);
    }
  }
  return most;
}

bool are_alike(std::span<const int> buffers) {
  return std::ranges::adjacent_find(buffers, std::ranges::not_equal_to()) == buffers.end();
}

/// Documents with other buffers stand beside each other: rows say which have several.
void name_buffers(CaseTable& table, Pairs groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t k = 0; k < groups[i].cases.size(); ++k) {
      const int buffers = groups[i].cases[k].records.front()->buffers;
      if (buffers > 1) table.groups[i].rows[k].label += fmt::format(", {} buffers", buffers);
    }
  }
}

/// Rows of one size say how long their windows were where these differ.
void name_windows(CaseTable& table, Pairs groups) {
  const auto window = [](const CaseOf<P2pRecord>& one) { return one.records.front()->window; };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& cases = groups[i].cases;
    if (std::ranges::adjacent_find(cases, std::ranges::not_equal_to(), window) == cases.end()) continue;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      table.groups[i].rows[k].label += windows_text(*cases[k].records.front());
    }
  }
}

std::string buffers_line(std::span<const int> buffers) {
  constexpr std::string_view one_buffer = "all its messages in one buffer that stays in the cache";
  if (!are_alike(buffers)) {
    return fmt::format("time, {}, or in as many in turn as the row says.", one_buffer);
  }
  if (buffers.empty() || buffers.front() == 1) {
    return fmt::format("time, {}; from buffers of their own, large ones are slower.", one_buffer);
  }
  return fmt::format("time. Messages use {} buffers in turn, the longest fewer (256 MiB in all).", buffers.front());
}

bool has_path(Pairs groups, std::string_view name) {
  return std::ranges::any_of(groups, [&](const auto& group) {
    return std::ranges::any_of(group.cases, [&](const auto& one) { return one.transport == name; });
  });
}

std::vector<std::string> notes(Pairs groups, const CaseTable& table, std::span<const int> buffers) {
  std::vector<std::string> lines{
      "Latency: half a round trip, median; p99: 99 of 100 were faster. Bandwidth, messages: one way, a window at a",
      buffers_line(buffers)};
  lines.emplace_back("Both ways: the sum of both directions. 1 MB = 10^6 bytes.");
  if (lacks_p99(groups)) lines.emplace_back(no_p99_note);
  add_binding_note(lines, groups, "Tasks were not bound to cores.");
  if (table.most_repeats() > 1) lines.push_back(repeats_note(table.repeats_text()) + ".");
  for (const Yardstick& yardstick : yardsticks()) {
    if (!has_path(groups, yardstick.name)) continue;
    lines.push_back(fmt::format("{}: {}.", yardstick.name, yardstick.description));
  }
  return lines;
}

}  // namespace

std::vector<Grid> pair_grids(std::span<const Source> sources, Columns columns) {
  const std::vector<GroupOf<P2pRecord>> groups = group_pairs(sources);
  const std::vector<FigureOf<P2pRecord>> figures = figures_among(all_figures(), columns);
  CaseTable table;
  table.keys = {{"Bytes", "", Align::right}};
  table.figures = figures_of<P2pRecord>(figures);
  add_groups<P2pRecord>(table, groups, figures, [](const P2pRecord& record) {
    return std::vector<std::string>{std::to_string(record.bytes)};
  });
  const std::vector<int> buffers = most_buffers(sources);
  if (!are_alike(buffers)) name_buffers(table, groups);
  name_windows(table, groups);
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = notes(groups, table, buffers);
  for (std::string& line : condition_lines<P2pRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

}  // namespace nasvm
