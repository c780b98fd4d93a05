#include <algorithm>

#include <fmt/format.h>

#include "harness/commands/p2p/mixed/views.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/heading.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using Mixes = std::span<const GroupOf<MixedRecord>>;

constexpr std::size_t cheap = 0;
constexpr std::size_t expensive = 1;

/// The two transports: those of the first record, cheap before expensive.
struct Pairing {
  std::string cheap, expensive;

  [[nodiscard]] bool has(const MixedRecord& record) const {
    return (record.transport == cheap && record.beside == expensive) ||
           (record.transport == expensive && record.beside == cheap);
  }
};

Pairing pairing_of(std::span<const Source> sources) {
  const MixedRecord& first = sources.front().document.records<MixedRecord>().front();
  const Pairing pairing{first.transport, first.beside};
  for (const Source& source : sources) {
    for (const MixedRecord& record : source.document.records<MixedRecord>()) {
      if (pairing.has(record)) continue;
      throw UsageError(fmt::format("{} has {} beside {}, not {} beside {}: compare like with like", source.file,
                                   record.transport, record.beside, pairing.cheap, pairing.expensive));
    }
  }
  return pairing;
}

CaseGroup& group_of(std::vector<CaseGroup>& groups, std::uint64_t bytes) {
  const std::vector<std::string> keys{std::to_string(bytes)};
  const auto found = std::ranges::find(groups, keys, &CaseGroup::keys);
  return found != groups.end() ? *found : groups.emplace_back(CaseGroup{keys, {}});
}

CaseRow& row_of(CaseGroup& group, std::size_t source, const std::string& skip) {
  const auto found = std::ranges::find_if(
      group.rows, [&](const CaseRow& row) { return row.source == source && row.transport == skip; });
  if (found != group.rows.end()) return *found;
  return group.rows.emplace_back(CaseRow{source, skip, skip, false, 1, std::vector<std::vector<double>>(2), {}});
}

/// A transport without a record at that size shows 0.
void show_lacks(CaseRow& row) {
  for (std::vector<double>& sample : row.samples) {
    if (sample.empty()) sample = {0};
  }
}

std::vector<GroupOf<MixedRecord>> group_mixed(std::span<const Source> sources) {
  return group_cases<MixedRecord>(sources, [](const MixedRecord& a, const MixedRecord& b) {
    return a.bytes == b.bytes && a.skip_poll == b.skip_poll;
  });
}

/// Rows of one size, first by skip_poll as asked for (the first run has them in that order), then by document.
std::vector<CaseGroup> rows_of(Mixes mixes, const Pairing& pairing) {
  std::vector<CaseGroup> groups;
  const bool says_binding = bindings_differ(mixes);
  for (const GroupOf<MixedRecord>& found : mixes) {
    CaseGroup& group = group_of(groups, found.first().bytes);
    for (const CaseOf<MixedRecord>& one : found.cases) {
      CaseRow& row = row_of(group, one.source, skip_text(found.first().skip_poll));
      if (says_binding) row.label = row.transport + std::string(row_binding_text(one.records.front()->bound));
      row.repeats = std::max(row.repeats, one.records.size());
      row.samples[one.transport == pairing.cheap ? cheap : expensive] =
          one.all([](const MixedRecord& record) { return record.latency.mean_us; });
    }
  }
  std::ranges::stable_sort(groups, {}, [](const CaseGroup& group) { return std::stoull(group.keys.front()); });
  for (CaseGroup& group : groups) {
    for (CaseRow& row : group.rows) show_lacks(row);
  }
  return groups;
}

}  // namespace

std::string skip_text(int skip_poll) { return skip_poll == 0 ? "adaptive" : std::to_string(skip_poll); }

std::vector<Grid> mixed_grids(std::span<const Source> sources, Columns) {
  const Pairing pairing = pairing_of(sources);
  const std::vector<GroupOf<MixedRecord>> mixes = group_mixed(sources);
  CaseTable table;
  table.keys = {{"Bytes", "", Align::right}};
  table.label = {"skip_poll", "", Align::right};
  for (const std::string& name : {pairing.cheap, pairing.expensive}) {
    table.figures.push_back({{name, "one way (us)", Align::right}, Figure::Digits::aligned, Figure::Spread::percent});
  }
  table.groups = rows_of(mixes, pairing);
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = {
      "Two ping-pongs of one task at once, each with a peer of its own; one way: half a round trip, the mean of a "
      "run.",
      "skip_poll: cheap looks at memory for each look at every method. The paper's Figures 6 and 7 (ppmulti).",
  };
  add_binding_note<MixedRecord>(
      grid.notes, mixes,
      "Tasks were not bound to cores of their own; with fewer than three cores, both peers share one.");
  if (table.most_repeats() > 1) grid.notes.push_back(repeats_note(table.repeats_text()) + ".");
  for (std::string& line : condition_lines<MixedRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::vector<Compared> compared_mixed(const Document& document) {
  std::vector<Compared> all;
  for (const MixedRecord& record : document.records<MixedRecord>()) {
    add_known(all,
              {fmt::format("p2p of {}, {} beside {}, skip_poll {}{}", counted(record.bytes, "byte"), record.transport,
                           record.beside, skip_text(record.skip_poll), binding_text(record.bound)),
               mean_latency_kind,
               record.latency.mean_us,
               is_right(record),
               {},
               record.sampled});
  }
  return all;
}

std::string mixed_csv(std::span<const Source> sources) { return p2p_csv<MixedRecord>(sources); }

}  // namespace nasvm
