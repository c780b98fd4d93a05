#pragma once
/// \file
/// Records of result documents sorted into cases: one case is one thing measured over one transport, with all its
/// repeats. Cases that differ only in transport (or in the document they come from) form a group: what tables
/// compare. For records that have a `transport` and say whether they are right (harness/document/records.hpp).

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/document/document.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"

namespace nasvm {

/// In place of figures where results are wrong: "FAILED"; of several, "FAILED 1/5".
inline std::string failed_text(std::size_t wrong, std::size_t all) {
  return all == 1 ? "FAILED" : fmt::format("FAILED {}/{}", wrong, all);
}

/// Does that hold of any record of a type, in any document?
template <typename Record, typename Holds>
bool any_record(std::span<const Source> sources, Holds holds) {
  return std::ranges::any_of(sources, [&holds](const Source& source) {
    return std::ranges::any_of(source.document.template records<Record>(), holds);
  });
}

/// Was the sample taken under other conditions than those beside it, so that figures leave it out? A wrong result
/// always counts.
template <typename Record>
bool is_apart(const Record& record) {
  if constexpr (requires { record.sampled; }) return record.sampled.changed && is_right(record);
  else return false;
}

/// The repeats of one case, never none. Points into its document.
template <typename Record>
struct CaseOf {
  std::size_t source = 0;  ///< which document
  std::string transport;
  std::vector<const Record*> records;

  /// Repeats whose result was wrong.
  [[nodiscard]] std::size_t failed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(records, [](const Record* record) { return !is_right(*record); }));
  }
  /// A case with a wrong repeat has no figures.
  [[nodiscard]] bool wrong() const { return failed() > 0; }
  /// One figure of every repeat: a member, or a function of the record.
  template <typename Figure>
  [[nodiscard]] std::vector<double> all(Figure figure) const {
    std::vector<double> values;
    for (const Record* record : records) values.push_back(static_cast<double>(std::invoke(figure, *record)));
    return values;
  }
  /// Its median; not a number when a result was wrong.
  template <typename Figure>
  [[nodiscard]] double median_of(Figure figure) const {
    return wrong() ? std::numeric_limits<double>::quiet_NaN() : median(all(figure));
  }
};

/// Cases that can be compared with each other, never none.
template <typename Record>
struct GroupOf {
  std::vector<CaseOf<Record>> cases;

  /// A record, for what all of the group have in common.
  [[nodiscard]] const Record& first() const { return *cases.front().records.front(); }
  /// The case of that document and transport, or nullptr.
  [[nodiscard]] const CaseOf<Record>* find(std::size_t source, std::string_view transport) const {
    const auto found = std::ranges::find_if(
        cases, [&](const auto& one) { return one.source == source && one.transport == transport; });
    return found == cases.end() ? nullptr : &*found;
  }
};

/// Brings the cases of one transport together, by first occurrence, keeping the order otherwise.
template <typename Record>
void gather_transports(GroupOf<Record>& group) {
  std::vector<std::string> transports;
  for (const auto& one : group.cases) transports.push_back(one.transport);
  std::ranges::stable_sort(group.cases, {}, [&](const auto& one) {
    return std::ranges::find(transports, one.transport) - transports.begin();
  });
}

/// Leaves out samples that are apart, unless there are no others.
template <typename Record>
void keep_alike(std::vector<const Record*>& records) {
  const auto apart = [](const Record* record) { return is_apart(*record); };
  if (!std::ranges::all_of(records, apart)) std::erase_if(records, apart);
}

/// A line where any of these results is wrong: "1 of 5 runs read wrong: their cases have no figures."
template <typename Record>
std::vector<std::string> wrong_lines(const std::vector<const Record*>& records, std::string_view thing,
                                     std::string_view failure) {
  const auto wrong = std::ranges::count_if(records, [](const Record* record) { return !is_right(*record); });
  if (wrong == 0) return {};
  return {fmt::format("{} of {} {}: their cases have no figures.", wrong, counted(records.size(), thing), failure)};
}

/// Groups in the order in which they first occur; in each the cases by the transports' first occurrence, then by
/// document. `same(a, b)` says whether two records belong to one group.
template <typename Record, typename Same>
std::vector<GroupOf<Record>> group_cases(std::span<const Source> sources, Same same) {
  std::vector<GroupOf<Record>> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const Record& record : sources[source].document.template records<Record>()) {
      auto group = std::ranges::find_if(groups, [&](const auto& one) { return same(one.first(), record); });
      if (group == groups.end()) group = groups.insert(group, GroupOf<Record>{});
      auto found = std::ranges::find_if(
          group->cases, [&](const auto& one) { return one.source == source && one.transport == record.transport; });
      if (found == group->cases.end()) found = group->cases.insert(found, {source, record.transport, {}});
      found->records.push_back(&record);
    }
  }
  for (auto& group : groups) {
    for (auto& one : group.cases) keep_alike(one.records);
    gather_transports(group);
  }
  return groups;
}

}  // namespace nasvm
