#include "harness/commands/p2p/collective/cases.hpp"

#include <algorithm>
#include <limits>

#include "harness/statistics.hpp"

namespace nasvm {
namespace {

CollectiveGroup& group_of(std::vector<CollectiveGroup>& groups, const CollectiveRecord& record) {
  const auto alike = [&](const CollectiveGroup& group) {
    return group.collective == record.collective && group.np == record.np;
  };
  const auto found =
      std::ranges::find_if(groups, [&](const auto& group) { return alike(group) && group.bytes == record.bytes; });
  if (found != groups.end()) return *found;
  // Behind the last of its kind that is smaller; else before the first, else at the end.
  auto place = std::ranges::find_if(groups, alike);
  while (place != groups.end() && alike(*place) && place->bytes < record.bytes) ++place;
  return *groups.insert(place, {record.collective, record.np, record.bytes, {}});
}

CollectiveCase& case_of(CollectiveGroup& group, std::size_t source, const std::string& transport) {
  const auto found = std::ranges::find_if(
      group.cases, [&](const CollectiveCase& one) { return one.source == source && one.transport == transport; });
  if (found != group.cases.end()) return *found;
  group.cases.push_back({source, transport, {}});
  return group.cases.back();
}

/// Brings the documents of one path together.
void gather_transports(std::vector<CollectiveGroup>& groups) {
  for (CollectiveGroup& group : groups) {
    std::vector<std::string> paths;
    for (const CollectiveCase& one : group.cases) paths.push_back(one.transport);
    std::ranges::stable_sort(group.cases, {}, [&](const CollectiveCase& one) {
      return std::ranges::find(paths, one.transport) - paths.begin();
    });
  }
}

}  // namespace

bool CollectiveCase::wrong() const {
  return std::ranges::any_of(records, [](const auto* record) { return record->data == DataCheck::failed; });
}

std::vector<double> CollectiveCase::all(double (*figure)(const CollectiveRecord&)) const {
  std::vector<double> values;
  for (const CollectiveRecord* record : records) values.push_back(figure(*record));
  return values;
}

double CollectiveCase::median_of(double (*figure)(const CollectiveRecord&)) const {
  return wrong() ? std::numeric_limits<double>::quiet_NaN() : median(all(figure));
}

std::vector<CollectiveGroup> group_collectives(std::span<const Source> sources) {
  std::vector<CollectiveGroup> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const CollectiveRecord& record : sources[source].document.collectives) {
      case_of(group_of(groups, record), source, record.transport).records.push_back(&record);
    }
  }
  gather_transports(groups);
  return groups;
}

}  // namespace nasvm
