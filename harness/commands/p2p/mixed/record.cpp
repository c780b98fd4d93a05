#include "harness/commands/p2p/mixed/record.hpp"

#include "harness/commands/p2p/record_json.hpp"

namespace nasvm {

Json json_of(const MixedRecord& record) {
  return {{"transport", record.transport},
          {"beside", record.beside},
          {"skip_poll", record.skip_poll},
          {"bytes", record.bytes},
          {"repeat", record.repeat},
          {"latency_us", record.latency.median_us},
          {"latency_mean_us", record.latency.mean_us},
          {"latency_min_us", record.latency.min_us},
          {"latency_p99_us", record.latency.p99_us},
          {"latency_max_us", record.latency.max_us},
          {"iterations", record.iterations},
          {"bound", record.bound}};
}

MixedRecord read_mixed_record(const JsonReader& in) {
  MixedRecord record;
  record.transport = in.text("transport");
  record.beside = in.text("beside");
  record.skip_poll = in.integer("skip_poll", 0);
  record.bytes = in.count("bytes");
  record.repeat = in.integer("repeat", 0);
  record.latency = read_latency(in);
  record.iterations = static_cast<std::int64_t>(in.count("iterations", 0));
  record.bound = in.boolean("bound");
  return record;
}

}  // namespace nasvm
