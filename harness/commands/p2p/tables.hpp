#pragma once
/// \file
/// What the tables of pairs and of collectives have in common: one row for each path, sizes below each other, from
/// declared columns. For records with `bytes`, `method`, `iterations`, `bound` and `data`.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/commands/p2p/record.hpp"
#include "harness/document/csv.hpp"
#include "harness/measuring/p99.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/compared.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// What `nasvm regress` takes of them: a median; of what goes on beside something else, where single times say
/// little, a mean.
inline constexpr FigureKind latency_kind{"latency", "us"};
inline constexpr FigureKind mean_latency_kind{"mean latency", "us"};

/// A column of medians, and whether it stands among the usual ones or only where all are asked for (-f).
template <typename Record>
struct P2pFigure {
  FigureOf<Record> figure;
  Columns among = Columns::usual;
};

template <typename Record>
std::vector<FigureOf<Record>> figures_among(std::span<const P2pFigure<Record>> all, Columns columns) {
  std::vector<FigureOf<Record>> shown;
  for (const auto& one : all) {
    if (one.among <= columns) shown.push_back(one.figure);
  }
  return shown;
}

/// Groups of equal size and kind: kinds in the order of their first occurrence, in each by size. `alike(a, b)` says
/// whether two records are of one kind.
template <typename Record, typename Alike>
std::vector<GroupOf<Record>> group_by_size(std::span<const Source> sources, Alike alike) {
  auto groups = group_cases<Record>(
      sources, [&](const Record& a, const Record& b) { return a.bytes == b.bytes && alike(a, b); });
  std::vector<Record> kinds;
  for (const auto& group : groups) kinds.push_back(group.first());
  const auto kind = [&](const GroupOf<Record>& group) {
    return std::ranges::find_if(kinds, [&](const Record& one) { return alike(one, group.first()); }) - kinds.begin();
  };
  std::ranges::stable_sort(groups, {},
                           [&](const GroupOf<Record>& group) { return std::pair(kind(group), group.first().bytes); });
  return groups;
}

/// Does that hold of every record?
template <typename Record, typename Predicate>
bool all_records(std::span<const GroupOf<Record>> groups, Predicate predicate) {
  return std::ranges::all_of(groups, [&](const auto& group) {
    return std::ranges::all_of(group.cases, [&](const auto& one) {
      return std::ranges::all_of(one.records, [&](const Record* record) { return predicate(*record); });
    });
  });
}

/// Behind the names of cases, and of rows where they differ in that: it changes figures much. What is not known is
/// taken for the usual.
constexpr std::string_view binding_text(std::optional<bool> bound) { return bound == false ? ", not bound" : ""; }

/// Behind rows where they differ: there nothing is taken for anything.
constexpr std::string_view row_binding_text(std::optional<bool> bound) {
  return bound ? binding_text(bound) : ", bound or not is not known";
}

/// Had the tasks of all records a core of their own each, or those of none, as asked?
template <typename Record>
bool all_bound(std::span<const GroupOf<Record>> groups, bool bound) {
  return all_records(groups, [bound](const Record& record) { return record.bound == bound; });
}

/// Had the tasks of some records a core of their own each, and those of others not?
template <typename Record>
bool bindings_differ(std::span<const GroupOf<Record>> groups) {
  return !all_records(groups, [](const Record& record) { return record.bound != false; }) &&
         !all_records(groups, [](const Record& record) { return record.bound != true; });
}

/// The rows of a case table: `keys_of` says what stands in front of the transports of a group. With a column for the
/// comparison of data where there was one. Figures that a document does not have, 0, stay blank.
template <typename Record>
void add_groups(CaseTable& table, std::span<const GroupOf<Record>> groups, std::span<const FigureOf<Record>> figures,
                std::vector<std::string> (*keys_of)(const Record&)) {
  const bool unchecked = all_records(groups, [](const Record& record) { return record.data == DataCheck::none; });
  if (!unchecked) table.behind.push_back({"Data", "", Align::left});
  const bool says_binding = bindings_differ(groups);
  for (const GroupOf<Record>& group : groups) {
    CaseGroup& rows = table.groups.emplace_back();
    rows.keys = keys_of(group.first());
    for (const CaseOf<Record>& one : group.cases) {
      const Record& first = *one.records.front();
      CaseRow& row = rows.rows.emplace_back(row_of(one, figures));
      for (std::vector<double>& sample : row.samples) std::erase(sample, 0.0);
      row.label = path_text(one.transport, first.method);
      if (says_binding) row.label += row_binding_text(first.bound);
      if (!unchecked) row.behind.emplace_back(to_text(one.wrong() ? DataCheck::failed : first.data));
    }
  }
}

/// "Medians of 3 runs, ...": a line for the notes.
std::string repeats_note(const std::string& runs);

inline constexpr std::string_view bound_note = "Each task was bound to a core of its own.";
inline constexpr std::string_view bound_in_part_note = "Not all tasks were bound to cores of their own, as rows say.";

/// Adds a line that says whether tasks were bound, `unbound_note` where none were; none where documents of others do
/// not say it.
template <typename Record>
void add_binding_note(std::vector<std::string>& notes, std::span<const GroupOf<Record>> groups,
                      std::string_view unbound_note) {
  if (bindings_differ(groups)) notes.emplace_back(bound_in_part_note);
  else if (all_bound(groups, true)) notes.emplace_back(bound_note);
  else if (all_bound(groups, false)) notes.emplace_back(unbound_note);
}

/// Of a record that does not say of how many it is, the p99 that it has is taken for one.
template <typename Record>
bool has_p99(const Record& record) {
  return record.iterations == 0 || are_enough_for_p99(record.iterations);
}

/// A line for the notes where a row has none.
inline constexpr std::string_view no_p99_note = "Rows without p99: of fewer than 100 measurements it says nothing.";

/// Is there a row without because a run of it had too few?
template <typename Record>
bool lacks_p99(std::span<const GroupOf<Record>> groups) {
  return !all_records(groups, [](const Record& record) { return has_p99(record); });
}

/// Adds what is to be judged, unless it is a figure that the document does not have.
inline void add_known(std::vector<Compared>& all, Compared one) {
  if (one.value != 0 || !one.right) all.push_back(std::move(one));
}

/// One line for each record, with all fields, those that a document need not have, too.
template <typename Record>
std::string p2p_csv(std::span<const Source> sources) {
  Record full;
  full.bound = true;
  if constexpr (requires { full.hosts_used; }) full.hosts_used = 1;
  std::vector<std::string> columns{"file"};
  for (const Cell& cell : cells_of(description_of(full))) columns.push_back(cell.name);
  return csv_of<Record>(sources, std::move(columns));
}

}  // namespace nasvm
