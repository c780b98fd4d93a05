#include "harness/commands/p2p/pair/views.hpp"

#include <fmt/format.h>

#include "harness/commands/p2p/pair/measure.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/document/csv.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"

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

std::string windows_text(const P2pRecord& record) {
  return record.window == 0 || record.window == window_of({}, record.bytes)
             ? ""
             : fmt::format(", windows of {}", record.window);
}

std::vector<Compared> compared_pairs(const Document& document) {
  std::vector<Compared> all;
  for (const P2pRecord& record : document.records<P2pRecord>()) {
    if (find_yardstick(record.transport) != nullptr) continue;
    std::string name =
        fmt::format("p2p of {}, {}{}", counted(record.bytes, "byte"), record.transport, binding_text(record.bound));
    if (record.buffers > 1) name += fmt::format(", {} buffers", record.buffers);
    add_known(all, {name, latency_kind, record.latency.median_us, is_right(record), {}, record.sampled});
    name += windows_text(record);
    const auto add = [&](const FigureKind& figure, double value) {
      add_known(all, {name, figure, value, is_right(record), {}, record.sampled});
    };
    static constexpr FigureKind bandwidth{"bandwidth", "MB/s", Better::higher};
    static constexpr FigureKind both_ways{"both ways", "MB/s", Better::higher};
    static constexpr FigureKind message_rate{"message rate", "1/s", Better::higher};
    if (record.bytes == 0) {
      add(message_rate, record.messages_per_s);  // of others their bandwidth says the same
      continue;
    }
    add(bandwidth, record.bandwidth.median_mb_s);
    add(both_ways, record.bidirectional.median_mb_s);
  }
  return all;
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
