#include "harness/commands/p2p/record.hpp"

#include <algorithm>
#include <array>

#include "harness/commands/p2p/record_json.hpp"

namespace nasvm {
namespace {

/// The values of DataCheck as the document has them.
constexpr std::array<std::string_view, 3> check_names{"unchecked", "correct", "wrong"};

}  // namespace

DataCheck read_data_check(const JsonReader& in) {
  const std::string text = in.text("data", std::string(check_names.front()));
  const auto found = std::find(check_names.begin(), check_names.end(), text);
  if (found == check_names.end()) in.fail("data", "should be unchecked, correct or wrong");
  return static_cast<DataCheck>(found - check_names.begin());
}

Json json_of(DataCheck check) { return check_names[static_cast<std::size_t>(check)]; }

Latency read_latency(const JsonReader& in) {
  return {in.real("latency_us", 0), in.real("latency_mean_us", 0), in.real("latency_min_us", 0),
          in.real("latency_p99_us", 0), in.real("latency_max_us", 0)};
}

std::string_view to_text(DataCheck check) {
  return check == DataCheck::failed ? "WRONG" : check_names[static_cast<std::size_t>(check)];
}

Json json_of(const P2pRecord& record) {
  const auto figure = [&](double value) { return record.data == DataCheck::failed ? Json() : Json(value); };
  return {{"transport", record.transport},
          {"method", record.method},
          {"bytes", record.bytes},
          {"repeat", record.repeat},
          {"latency_us", figure(record.latency.median_us)},
          {"latency_mean_us", figure(record.latency.mean_us)},
          {"latency_min_us", figure(record.latency.min_us)},
          {"latency_p99_us", figure(record.latency.p99_us)},
          {"latency_max_us", figure(record.latency.max_us)},
          {"iterations", record.iterations},
          {"bandwidth_mb_s", figure(record.bandwidth.median_mb_s)},
          {"bandwidth_mean_mb_s", figure(record.bandwidth.mean_mb_s)},
          {"bidirectional_mb_s", figure(record.bidirectional.median_mb_s)},
          {"bidirectional_mean_mb_s", figure(record.bidirectional.mean_mb_s)},
          {"messages_per_s", figure(record.messages_per_s)},
          {"window", record.window},
          {"buffers", record.buffers},
          {"windows", record.windows},
          {"bound", record.bound},
          {"data", json_of(record.data)}};
}

P2pRecord read_p2p_record(const JsonReader& in) {
  P2pRecord record;
  record.transport = in.text("transport");
  record.method = in.text("method", "");
  record.bytes = in.count("bytes");
  record.repeat = in.integer("repeat", 0);
  record.latency = read_latency(in);
  record.iterations = static_cast<std::int64_t>(in.count("iterations", 0));
  record.bandwidth = {in.real("bandwidth_mb_s", 0), in.real("bandwidth_mean_mb_s", 0)};
  record.bidirectional = {in.real("bidirectional_mb_s", 0), in.real("bidirectional_mean_mb_s", 0)};
  record.messages_per_s = in.real("messages_per_s", 0);
  record.window = in.integer("window", 1);
  record.buffers = in.integer("buffers", 1);
  record.windows = static_cast<std::int64_t>(in.count("windows", 0));
  record.bound = in.boolean("bound");
  record.data = read_data_check(in);
  return record;
}

}  // namespace nasvm
