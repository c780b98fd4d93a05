#include "harness/commands/p2p/coupled/record.hpp"

namespace nasvm {

void describe(Fields& fields, CoupledRecord& record) {
  fields.text("transport", record.transport);
  fields.integer("np", record.np);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  describe_latency(fields, record.latency, withheld_unless(is_right(record)), record.iterations);
  fields.count("iterations", record.iterations, Need::optional);
  describe_bound(fields, record.bound);
  describe_data_check(fields, record.data);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
