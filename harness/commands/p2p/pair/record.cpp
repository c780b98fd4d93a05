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
  // Messages of no bytes have a bandwidth of 0.
  const auto bandwidth = [&](const char* name, double& mb_s) {
    fields.real(name, mb_s, Need::optional, record.bytes == 0 ? shown : shown_if_known(shown, mb_s));
  };
  bandwidth("bandwidth_mb_s", record.bandwidth.median_mb_s);
  bandwidth("bandwidth_mean_mb_s", record.bandwidth.mean_mb_s);
  bandwidth("bidirectional_mb_s", record.bidirectional.median_mb_s);
  bandwidth("bidirectional_mean_mb_s", record.bidirectional.mean_mb_s);
  fields.real("messages_per_s", record.messages_per_s, Need::optional, shown_if_known(shown, record.messages_per_s));
  if (fields.has("window", record.window != 0)) fields.integer("window", record.window, Need::optional);
  fields.integer("buffers", record.buffers, Need::optional);
  fields.count("windows", record.windows, Need::optional);
  describe_bound(fields, record.bound);
  describe_data_check(fields, record.data);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
