#include "harness/commands/p2p/cases.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/statistics.hpp"

namespace nasvm {
namespace {

P2pGroup& group_of(std::vector<P2pGroup>& groups, std::uint64_t bytes) {
  const auto found = std::ranges::lower_bound(groups, bytes, {}, &P2pGroup::bytes);
  if (found != groups.end() && found->bytes == bytes) return *found;
  return *groups.insert(found, {bytes, {}});
}

P2pCase& case_of(P2pGroup& group, std::size_t source, const std::string& transport) {
  const auto found = std::ranges::find_if(
      group.cases, [&](const P2pCase& one) { return one.source == source && one.transport == transport; });
  if (found != group.cases.end()) return *found;
  group.cases.push_back({source, transport, {}});
  return group.cases.back();
}

std::vector<std::string> all_paths(std::span<const Source> sources) {
  std::vector<std::string> all;
  for (const Source& source : sources) {
    for (const std::string& path : paths_of(source.document)) {
      if (std::ranges::find(all, path) == all.end()) all.push_back(path);
    }
  }
  return all;
}

}  // namespace

bool P2pCase::wrong() const {
  return std::ranges::any_of(records, [](const P2pRecord* record) { return record->data == DataCheck::failed; });
}

std::string P2pCase::name() const { return path_text(transport, records.front()->method); }

std::string path_text(const std::string& transport, const std::string& method) {
  const bool plain = method.empty() || transport == method || transport.starts_with(method + ":");
  return plain ? transport : fmt::format("{} ({})", transport, method);
}

std::vector<double> P2pCase::all(double (*figure)(const P2pRecord&)) const {
  std::vector<double> values;
  for (const P2pRecord* record : records) values.push_back(figure(*record));
  return values;
}

double P2pCase::median_of(double (*figure)(const P2pRecord&)) const {
  return wrong() ? std::numeric_limits<double>::quiet_NaN() : median(all(figure));
}

const P2pCase* P2pGroup::find(std::size_t source, std::string_view transport) const {
  const auto found = std::ranges::find_if(
      cases, [&](const P2pCase& one) { return one.source == source && one.transport == transport; });
  return found == cases.end() ? nullptr : &*found;
}

std::vector<std::string> paths_of(const Document& document) {
  std::vector<std::string> all;
  for (const P2pRecord& record : document.p2p) {
    if (std::ranges::find(all, record.transport) == all.end()) all.push_back(record.transport);
  }
  return all;
}

std::vector<P2pGroup> group_p2p(std::span<const Source> sources) {
  std::vector<P2pGroup> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const P2pRecord& record : sources[source].document.p2p) {
      case_of(group_of(groups, record.bytes), source, record.transport).records.push_back(&record);
    }
  }
  const std::vector<std::string> paths = all_paths(sources);
  const auto position = [&](const P2pCase& one) { return std::ranges::find(paths, one.transport) - paths.begin(); };
  for (P2pGroup& group : groups) std::ranges::stable_sort(group.cases, {}, position);
  return groups;
}

}  // namespace nasvm
