#include "harness/commands/p2p/pair/views.hpp"

#include "harness/document/csv.hpp"
#include "harness/report/distinct.hpp"

namespace nasvm {

std::vector<GroupOf<P2pRecord>> group_pairs(std::span<const Source> sources) {
  return group_by_size<P2pRecord>(sources, [](const P2pRecord&, const P2pRecord&) { return true; });
}

std::vector<std::string> paths_of(const Document& document) {
  return distinct(document.records<P2pRecord>(), &P2pRecord::transport);
}

std::vector<const CaseOf<P2pRecord>*> cases_of(std::span<const GroupOf<P2pRecord>> groups, std::size_t source,
                                               std::string_view path) {
  std::vector<const CaseOf<P2pRecord>*> cases;
  for (const auto& group : groups) {
    if (const auto* one = group.find(source, path)) cases.push_back(one);
  }
  return cases;
}

std::string pair_csv(std::span<const Source> sources) {
  return csv_of<P2pRecord>(sources, {"file",
                                     "transport",
                                     "method",
                                     "bytes",
                                     "repeat",
                                     "latency_us",
                                     "latency_mean_us",
                                     "latency_min_us",
                                     "latency_p99_us",
                                     "latency_max_us",
                                     "iterations",
                                     "bandwidth_mb_s",
                                     "bandwidth_mean_mb_s",
                                     "bidirectional_mb_s",
                                     "bidirectional_mean_mb_s",
                                     "messages_per_s",
                                     "window",
                                     "windows",
                                     "bound",
                                     "data",
                                     "buffers"});
}

}  // namespace nasvm
