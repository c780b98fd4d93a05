#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/mcast/figures/report.hpp"
#include "harness/commands/mcast/views.hpp"
#include "harness/measuring/median_interval.hpp"
#include "harness/measuring/p99.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm {
namespace {

using Groups = std::span<const GroupOf<McastRecord>>;
using Case = CaseOf<McastRecord>;

constexpr double ms_per_s = 1e3;

struct McastFigureColumn {
  FigureOf<McastRecord> figure;
  Columns among = Columns::usual;
};

constexpr auto aligned = Figure::Digits::aligned;
constexpr auto whole = Figure::Digits::whole;
constexpr auto spread = Figure::Spread::percent;
constexpr auto right = FigureOf<McastRecord>::Of::right;

bool is_timed(const McastRecord& r) { return !std::isnan(r.time.median_s); }
bool has_known(const McastRecord& r) { return r.kind != McastKind::unreliable; }
bool has_interval(const McastRecord& r) { return has_known(r) && are_enough_for_median_interval(r.iterations); }
bool has_p99(const McastRecord& r) { return has_known(r) && are_enough_for_p99(r.iterations); }
bool has_last(const McastRecord& r) { return !std::isnan(r.last.median_s); }
bool may_lose(const McastRecord& r) { return r.kind == McastKind::unreliable; }
bool has_rate(const McastRecord& r) { return r.bytes != 0 && is_timed(r); }
bool has_counts(const McastRecord& r) { return r.kind != McastKind::system && r.kind != McastKind::copies; }
bool has_facts(const McastRecord& r) { return r.packet_bytes != 0; }

double receptions(const McastRecord& r) { return static_cast<double>(r.iterations) * r.receivers; }

/// Of `raw`, with all columns.
FigureOf<McastRecord> incomplete_figure() {
  return {{{"Incomplete", "(%)"}},
          [](const McastRecord& r) { return 100 * static_cast<double>(r.incomplete) / receptions(r); },
          right,
          may_lose};
}

std::span<const McastFigureColumn> all_columns() {
  static const std::vector<McastFigureColumn> all{
      {{{{"Known", "(ms)"}, aligned, spread},
        [](const McastRecord& r) { return r.time.median_s * ms_per_s; },
        right,
        has_known}},
      {{{{"from", "(ms)"}}, [](const McastRecord& r) { return r.time.low_s * ms_per_s; }, right, has_interval},
       Columns::all},
      {{{{"to", "(ms)"}}, [](const McastRecord& r) { return r.time.high_s * ms_per_s; }, right, has_interval},
       Columns::all},
      {{{{"p99", "(ms)"}}, [](const McastRecord& r) { return r.time.p99_s * ms_per_s; }, right, has_p99},
       Columns::all},
      {{{{"Last", "(ms)"}}, [](const McastRecord& r) { return r.last.median_s * ms_per_s; }, right, has_last}},
      {{{{"Mbit/s", ""}}, [](const McastRecord& r) { return r.throughput_mbit_s(); }, right, has_rate}},
      {{{{"Data", "packets"}}, [](const McastRecord& r) { return r.cost.data_packets; }, right, has_counts}},
      {{{{"Sent", "again"}}, [](const McastRecord& r) { return r.cost.retransmitted; }, right, has_counts}},
      {{{{"Control", ""}}, [](const McastRecord& r) { return r.cost.control_packets; }, right, has_counts}},
      {{{{"CPU sender", "(ms)"}}, [](const McastRecord& r) { return r.cost.sender_cpu_s * ms_per_s; }}},
      {{{{"receiver", "(ms)"}}, [](const McastRecord& r) { return r.cost.receiver_cpu_s * ms_per_s; }}},
      {{{{"Packet", "(bytes)"}, whole},
        [](const McastRecord& r) { return static_cast<double>(r.packet_bytes); },
        right,
        has_facts},
       Columns::all},
      {{{{"Window", ""}, whole},
        [](const McastRecord& r) { return static_cast<double>(r.window); },
        right,
        has_facts},
       Columns::all},
      {{{{"Messages", ""}, whole}, [](const McastRecord& r) { return static_cast<double>(r.iterations); }},
       Columns::all},
  };
  return all;
}

std::vector<FigureOf<McastRecord>> figures_among(Columns columns) {
  std::vector<FigureOf<McastRecord>> shown;
  for (const McastFigureColumn& one : all_columns()) {
    if (one.among <= columns) shown.push_back(one.figure);
  }
  return shown;
}

template <typename Predicate>
bool any_record(Groups groups, Predicate predicate) {
  for (const auto& group : groups) {
    for (const Case& one : group.cases) {
      if (std::ranges::any_of(one.records, [&](const McastRecord* record) { return predicate(*record); }))
        return true;
    }
  }
  return false;
}

/// What others are held against: `raw`, message systems.
std::vector<std::string> yardsticks_of(Groups groups) {
  std::vector<std::string> labels;
  for (const auto& group : groups) {
    for (const Case& one : group.cases) {
      const bool yardstick = one.records.front()->kind != McastKind::protocol;
      if (yardstick && std::ranges::find(labels, one.transport) == labels.end()) labels.push_back(one.transport);
    }
  }
  return labels;
}

/// Of the repeats that have one: of `raw`, not a number where no message arrived whole.
double median_time_s(const Case& one) {
  std::vector<double> known;
  for (const McastRecord* record : one.records) {
    if (is_timed(*record)) known.push_back(record->time.median_s);
  }
  return one.wrong() || known.empty() ? std::numeric_limits<double>::quiet_NaN() : median(known);
}

/// How much faster the case is than the yardstick beside it; nothing where that is missing, or is itself.
std::string faster_text(const GroupOf<McastRecord>& group, const Case& one, const std::string& yardstick) {
  const Case* other = group.find(one.source, yardstick);
  if (other == nullptr || other == &one) return "";
  return factor_text(median_time_s(*other) / median_time_s(one));
}

void add_rows(CaseTable& table, Groups groups, std::span<const FigureOf<McastRecord>> figures) {
  const std::vector<std::string> yardsticks = yardsticks_of(groups);
  for (const std::string& name : yardsticks) table.behind.push_back({"Faster", "than " + name, Align::right});
  const bool checked = any_record(groups, [](const McastRecord& r) { return r.data != DataCheck::none; });
  if (checked) table.behind.push_back({"Data", "", Align::left});
  for (const auto& group : groups) {
    CaseGroup& rows = table.groups.emplace_back();
    rows.keys = {std::to_string(group.first().receivers), std::to_string(group.first().bytes)};
    for (const Case& one : group.cases) {
      CaseRow& row = rows.rows.emplace_back(row_of(one, figures));
      for (const std::string& name : yardsticks) row.behind.push_back(faster_text(group, one, name));
      if (checked) row.behind.emplace_back(to_text(one.wrong() ? DataCheck::failed : one.records.front()->data));
    }
  }
}

std::uint64_t sum_of(Groups groups, std::uint64_t McastRecord::*member) {
  std::uint64_t sum = 0;
  for (const auto& group : groups) {
    for (const Case& one : group.cases) {
      for (const McastRecord* record : one.records) sum += record->*member;
    }
  }
  return sum;
}

/// Without its parameters.
std::string protocol_name(const McastRecord& r) { return r.protocol.substr(0, r.protocol.find(':')); }

bool is_over_links(const McastRecord& r) {
  const auto row = std::ranges::find(multicast::protocols(), protocol_name(r), &multicast::Row::name);
  return r.kind == McastKind::protocol && row != multicast::protocols().end() &&
         row->carrier == multicast::Carrier::links;
}

std::uint64_t receptions_of_raw(Groups groups) {
  double sum = 0;
  for (const auto& group : groups) {
    for (const Case& one : group.cases) {
      for (const McastRecord* record : one.records) sum += may_lose(*record) ? receptions(*record) : 0;
    }
  }
  return static_cast<std::uint64_t>(sum);
}

/// Those that records have for which it holds, without their parameters.
template <typename Predicate>
std::string protocols_text(Groups groups, Predicate predicate) {
  std::vector<std::string> names;
  for (const auto& group : groups) {
    for (const Case& one : group.cases) {
      const McastRecord& record = *one.records.front();
      if (predicate(record)) names.push_back(protocol_name(record));
    }
  }
  return joined(distinct(names, std::identity()));
}

std::vector<std::string> notes(Groups groups, const CaseTable& table, Columns columns) {
  std::vector<std::string> lines{
      "Known: from the call until the sender knows that all receivers have the message, median. Last: until the last",
      "receiver has it. Data, sent again, control: packets of the sender for a message. CPU: processor time of the",
      "sender, and of a receiver on average, within the call. Mbit/s: 10^6 bit of the message in a second."};
  if (columns == Columns::all) {
    lines.emplace_back(
        "from, to: the median lies between them at 95 %, of 6 messages or more; p99: of 100 or more; of several");
    lines.emplace_back("runs the medians of theirs. Packet: its payload. Window: packets on their way at most.");
  }
  if (const std::string links = protocols_text(groups, is_over_links); !links.empty()) {
    lines.push_back(fmt::format(
        "{}: packets are pieces for the machine's links; what these cut and send again is not counted.", links));
  }
  if (any_record(groups, may_lose)) {
    lines.emplace_back("raw: unreliable multicast; its rate is that of the last receiver's last packet.");
  }
  if (any_record(groups, [](const McastRecord& r) { return r.kind == McastKind::copies; })) {
    lines.emplace_back("copies: as many copies within rank 0's memory, by a thread on each core; nothing is sent.");
  }
  const auto is_system = [](const McastRecord& r) { return r.kind == McastKind::system; };
  if (const std::string systems = protocols_text(groups, is_system); !systems.empty()) {
    lines.push_back(fmt::format(
        "{}: a broadcast, and an answer of one byte from each receiver, as with fanout and tree.", systems));
  }
  if (const auto incomplete = sum_of(groups, &McastRecord::incomplete); incomplete != 0) {
    lines.push_back(fmt::format(
        "raw: {} of {} receptions were incomplete; times are those of messages that all have received whole.",
        incomplete, receptions_of_raw(groups)));
  }
  if (const auto rejected = sum_of(groups, &McastRecord::rejected); rejected != 0) {
    lines.push_back(fmt::format("{} packets of strangers were dropped.", rejected));
  }
  if (any_record(groups, [](const McastRecord& r) { return r.kind == McastKind::protocol && !r.authenticated; })) {
    const bool all =
        !any_record(groups, [](const McastRecord& r) { return r.kind == McastKind::protocol && r.authenticated; });
    lines.emplace_back(all ? "Packets were not authenticated (--no-auth)."
                           : "Packets of some were not authenticated (--no-auth).");
  }
  if (any_record(groups, [](const McastRecord& r) { return r.unreached != 0; })) {
    const bool copies =
        any_record(groups, [](const McastRecord& r) { return r.unreached != 0 && !r.went_by_messages(); });
    lines.emplace_back(copies
                           ? "IP multicast did not reach all receivers; those that it did not reach got a copy each."
                           : "IP multicast did not reach all receivers.");
  }
  if (table.most_repeats() > 1) {
    lines.push_back(
        fmt::format("Medians of {} runs, taken in alternating order. Spread: (largest - smallest) / median.",
                    table.repeats_text()));
  }
  return lines;
}

}  // namespace

std::vector<Grid> mcast_grids(std::span<const Source> sources, Columns columns) {
  if (are_figures(sources)) return page_grids(figure_sections(sources));
  const std::vector<GroupOf<McastRecord>> groups = group_mcast(sources);
  std::vector<FigureOf<McastRecord>> figures = figures_among(columns);
  if (columns == Columns::all && any_record(Groups(groups), may_lose)) figures.push_back(incomplete_figure());
  CaseTable table;
  table.keys = {{"Receivers", "", Align::right}, {"Bytes", "", Align::right}};
  table.label = {"Protocol", "", Align::left};
  table.figures = figures_of<McastRecord>(figures);
  add_rows(table, groups, figures);
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = notes(groups, table, columns);
  for (std::string& line : condition_lines<McastRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

}  // namespace nasvm
