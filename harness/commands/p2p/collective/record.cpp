#include "harness/commands/p2p/collective/record.hpp"

#include "harness/commands/p2p/record_json.hpp"

namespace nasvm {

Json json_of(const CollectiveRecord& record) {
  const auto figure = [&](double value) { return record.data == DataCheck::failed ? Json() : Json(value); };
  return {{"collective", record.collective},
          {"np", record.np},
          {"transport", record.transport},
          {"method", record.method},
          {"bytes", record.bytes},
          {"repeat", record.repeat},
          {"latency_us", figure(record.time.median_us)},
          {"latency_mean_us", figure(record.time.mean_us)},
          {"latency_min_us", figure(record.time.min_us)},
          {"latency_p99_us", figure(record.time.p99_us)},
          {"latency_max_us", figure(record.time.max_us)},
          {"average_us", figure(record.average_us)},
          {"back_to_back_us", figure(record.back_to_back_us)},
          {"iterations", record.iterations},
          {"bound", record.bound},
          {"data", json_of(record.data)}};
}

CollectiveRecord read_collective_record(const JsonReader& in) {
  CollectiveRecord record;
  record.collective = in.text("collective");
  record.np = in.integer("np");
  record.transport = in.text("transport");
  record.method = in.text("method", "");
  record.bytes = in.count("bytes");
  record.repeat = in.integer("repeat", 0);
  record.time = read_latency(in);
  record.average_us = in.real("average_us", 0);
  record.back_to_back_us = in.real("back_to_back_us", 0);
  record.iterations = static_cast<std::int64_t>(in.count("iterations", 0));
  record.bound = in.boolean("bound");
  record.data = read_data_check(in);
  return record;
}

}  // namespace nasvm
