#include <fmt/format.h>

#include "harness/commands/p2p/report/report.hpp"
#include "harness/document/csv.hpp"

namespace nasvm {
namespace {

constexpr std::string_view head =
    "file,collective,np,transport,method,bytes,repeat,latency_us,latency_mean_us,latency_min_us,latency_p99_us,"
    "latency_max_us,average_us,back_to_back_us,iterations,bound,data\n";

std::string line(const Source& source, const CollectiveRecord& record) {
  const bool wrong = record.data == DataCheck::failed;
  const auto figure = [&](double value) { return wrong ? std::string() : fmt::format("{}", value); };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file),
                     record.collective, record.np, csv_field(record.transport), csv_field(record.method),
                     record.bytes, record.repeat, figure(record.time.median_us), figure(record.time.mean_us),
                     figure(record.time.min_us), figure(record.time.p99_us), figure(record.time.max_us),
                     figure(record.average_us), figure(record.back_to_back_us), record.iterations, record.bound,
                     to_text(record.data));
}

}  // namespace

std::string render_collective_csv(std::span<const Source> sources, bool) {
  std::string text(head);
  for (const Source& source : sources) {
    for (const CollectiveRecord& record : source.document.collectives) text += line(source, record);
  }
  return text;
}

}  // namespace nasvm
