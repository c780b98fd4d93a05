#include "harness/commands/p2p/pair/record.hpp"

namespace nasvm {

void describe(Fields& fields, P2pRecord& record) {
  const Shown shown = withheld_unless(is_right(record));
  fields.text("transport", record.transport);
  fields.text("method", record.method, Need::optional);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  describe_latency(fields, record.latency, shown, record.iterations);
  fields.count("iterations", record.iterations, Need::optional);
  fields.real("bandwidth_mb_s", record.bandwidth.median_mb_s, Need::optional, shown);
  fields.real("bandwidth_mean_mb_s", record.bandwidth.mean_mb_s, Need::optional, shown);
  fields.real("bidirectional_mb_s", record.bidirectional.median_mb_s, Need::optional, shown);
  fields.real("bidirectional_mean_mb_s", record.bidirectional.mean_mb_s, Need::optional, shown);
  fields.real("messages_per_s", record.messages_per_s, Need::optional, shown);
  if (fields.has("window", record.window != 0)) fields.integer("window", record.window, Need::optional);
  fields.integer("buffers", record.buffers, Need::optional);
  fields.count("windows", record.windows, Need::optional);
  describe_bound(fields, record.bound);
  describe_data_check(fields, record.data);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
