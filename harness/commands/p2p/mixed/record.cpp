#include "harness/commands/p2p/mixed/record.hpp"

namespace nasvm {

void describe(Fields& fields, MixedRecord& record) {
  fields.text("transport", record.transport);
  fields.text("beside", record.beside);
  fields.integer("skip_poll", record.skip_poll, Need::optional);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  describe_latency(fields, record.latency, Shown::everywhere, record.iterations);
  fields.count("iterations", record.iterations, Need::optional);
  describe_bound(fields, record.bound);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
