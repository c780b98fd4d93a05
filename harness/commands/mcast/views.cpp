#include "harness/commands/mcast/views.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

bool same_group(const McastRecord& a, const McastRecord& b) {
  return a.figure == b.figure && a.receivers == b.receivers && a.bytes == b.bytes;
}

bool is_unauthenticated(const McastRecord& record) {
  const bool has_packets = record.kind == McastKind::protocol || record.kind == McastKind::unreliable;
  return has_packets && !record.authenticated;
}

/// What tells cases of a group apart: the label, and what else was asked for.
std::string name_of(const McastRecord& record, bool says_if_unauthenticated) {
  std::string name = record.label();
  if (record.transport != McastRecord::usual_transport) name += ", over " + record.transport;
  if (record.ttl != McastRecord::usual_ttl) name += fmt::format(", ttl {}", record.ttl);
  if (says_if_unauthenticated && is_unauthenticated(record)) name += ", not authenticated";
  return name;
}

void add(GroupOf<McastRecord>& group, std::size_t source, const McastRecord& record, const std::string& label) {
  auto found = std::ranges::find_if(
      group.cases, [&](const CaseOf<McastRecord>& one) { return one.source == source && one.transport == label; });
  if (found == group.cases.end()) found = group.cases.insert(found, {source, label, {}});
  found->records.push_back(&record);
}

}  // namespace

std::vector<GroupOf<McastRecord>> group_mcast(std::span<const Source> sources) {
  const bool some_unauthenticated = any_record<McastRecord>(sources, is_unauthenticated);
  const bool differ = some_unauthenticated && any_record<McastRecord>(sources, [](const McastRecord& record) {
                        return record.kind == McastKind::protocol && record.authenticated;
                      });
  std::vector<GroupOf<McastRecord>> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const McastRecord& record : sources[source].document.records<McastRecord>()) {
      auto group = std::ranges::find_if(groups, [&](const auto& one) { return same_group(one.first(), record); });
      if (group == groups.end()) group = groups.insert(group, GroupOf<McastRecord>{});
      add(*group, source, record, name_of(record, differ));
    }
  }
  for (auto& group : groups) {
    for (auto& one : group.cases) keep_alike(one.records);
    gather_transports(group);
  }
  std::ranges::stable_sort(groups, {}, [](const GroupOf<McastRecord>& group) {
    return std::tuple(group.first().figure, group.first().receivers, group.first().bytes);
  });
  return groups;
}

std::vector<Compared> compared_mcast(const Document& document) {
  static constexpr FigureKind time{"time", "s"};
  std::vector<Compared> all;
  for (const McastRecord& record : document.records<McastRecord>()) {
    if (record.kind != McastKind::protocol) continue;
    all.push_back({fmt::format("mcast of {} to {}, {}", counted(record.bytes, "byte"),
                               counted(record.receivers, "receiver"), name_of(record, true)),
                   time,
                   record.time.median_s,
                   is_right(record),
                   {},
                   record.sampled});
  }
  return all;
}

std::string mcast_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{"file",          "figure",          "protocol",      "parameters",
                                   "kind",          "receivers",       "bytes",         "repeat",
                                   "packet_bytes",  "window",          "authenticated", "unreached",
                                   "iterations",    "time_s",          "time_low_s",    "time_high_s",
                                   "time_mean_s",   "time_min_s",      "time_p99_s",    "throughput_mbit_s",
                                   "last_s",        "last_low_s",      "last_high_s",   "data_packets",
                                   "retransmitted", "control_packets", "sender_cpu_s",  "receiver_cpu_s",
                                   "rejected",      "incomplete",      "data",          "chosen"};
  const auto has_transport = [](const McastRecord& r) { return r.transport != McastRecord::usual_transport; };
  const auto has_ttl = [](const McastRecord& r) { return r.ttl != McastRecord::usual_ttl; };
  if (any_record<McastRecord>(sources, has_transport)) columns.emplace_back("transport");
  if (any_record<McastRecord>(sources, has_ttl)) columns.emplace_back("ttl");
  return csv_of<McastRecord>(sources, std::move(columns));
}

}  // namespace nasvm
