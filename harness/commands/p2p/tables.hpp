#pragma once
/// \file
/// What the tables of pairs and of collectives have in common: one row for each path, sizes below each other, from
/// declared columns. For records with `bytes`, `method`, `iterations`, `bound` and `data`.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/p2p/record.hpp"
#include "harness/measuring/p99.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// What `nasvm regress` takes of all of them.
inline constexpr FigureKind latency_kind{"latency", "us"};

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

/// Behind the names of cases, and of rows where they differ in that: it changes figures much.
constexpr std::string_view binding_text(bool bound) { return bound ? "" : ", not bound"; }

/// Had the tasks of some records a core of their own each, and those of others not?
template <typename Record>
bool bindings_differ(std::span<const GroupOf<Record>> groups) {
  return !all_records(groups, [](const Record& record) { return record.bound; }) &&
         !all_records(groups, [](const Record& record) { return !record.bound; });
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
      if (says_binding) row.label += binding_text(first.bound);
      if (!unchecked) row.behind.emplace_back(to_text(one.wrong() ? DataCheck::failed : first.data));
    }
  }
}

/// "Medians of 3 runs, ...": a line for the notes.
std::string repeats_note(const std::string& runs);

inline constexpr std::string_view bound_note = "Each task was bound to a core of its own.";
inline constexpr std::string_view bound_in_part_note = "Not all tasks were bound to cores of their own, as rows say.";

/// Whether tasks were bound: a line for the notes; `unbound_note` where none were.
template <typename Record>
std::string binding_note(std::span<const GroupOf<Record>> groups, std::string_view unbound_note) {
  if (bindings_differ(groups)) return std::string(bound_in_part_note);
  const bool bound = all_records(groups, [](const Record& record) { return record.bound; });
  return std::string(bound ? bound_note : unbound_note);
}

template <typename Record>
bool has_p99(const Record& record) {
  return are_enough_for_p99(record.iterations);
}

/// A line for the notes where a row has none.
inline constexpr std::string_view no_p99_note = "Rows without p99: of fewer than 100 measurements it says nothing.";

/// Is there a row without?
template <typename Record>
bool lacks_p99(std::span<const GroupOf<Record>> groups) {
  return std::ranges::any_of(groups, [](const auto& group) {
    return std::ranges::any_of(group.cases, [](const auto& one) {
      return std::ranges::none_of(one.records, [](const Record* record) { return has_p99(*record); });
    });
  });
}

}  // namespace nasvm
