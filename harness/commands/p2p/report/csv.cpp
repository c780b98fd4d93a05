#include <fmt/format.h>

#include "harness/commands/p2p/report/report.hpp"
#include "harness/document/csv.hpp"

namespace nasvm {
namespace {

constexpr std::string_view head =
    "file,transport,method,bytes,repeat,latency_us,latency_mean_us,latency_min_us,latency_p99_us,latency_max_us,"
    "iterations,bandwidth_mb_s,bandwidth_mean_mb_s,bidirectional_mb_s,bidirectional_mean_mb_s,messages_per_s,window,"
    "windows,bound,data,buffers\n";

std::string line(const Source& source, const P2pRecord& record) {
  const bool wrong = record.data == DataCheck::failed;
  const auto figure = [&](double value) { return wrong ? std::string() : fmt::format("{}", value); };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file),
                     csv_field(record.transport), csv_field(record.method), record.bytes, record.repeat,
                     figure(record.latency.median_us), figure(record.latency.mean_us), figure(record.latency.min_us),
                     figure(record.latency.p99_us), figure(record.latency.max_us), record.iterations,
                     figure(record.bandwidth.median_mb_s), figure(record.bandwidth.mean_mb_s),
                     figure(record.bidirectional.median_mb_s), figure(record.bidirectional.mean_mb_s),
                     figure(record.messages_per_s), record.window, record.windows, record.bound, to_text(record.data),
                     record.buffers);
}

}  // namespace

std::string render_p2p_csv(std::span<const Source> sources, bool) {
  std::string text(head);
  for (const Source& source : sources) {
    for (const P2pRecord& record : source.document.p2p) text += line(source, record);
  }
  return text;
}

}  // namespace nasvm
