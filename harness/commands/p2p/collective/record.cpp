#include "harness/commands/p2p/collective/record.hpp"

namespace nasvm {

void describe(Fields& fields, CollectiveRecord& record) {
  const Shown shown = withheld_unless(is_right(record));
  fields.text("collective", record.collective);
  fields.integer("np", record.np);
  fields.text("transport", record.transport);
  fields.text("method", record.method, Need::optional);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  describe_latency(fields, record.time, shown, record.iterations);
  fields.real("average_us", record.average_us, Need::optional, shown);
  fields.real("back_to_back_us", record.back_to_back_us, Need::optional, shown);
  fields.count("iterations", record.iterations, Need::optional);
  fields.boolean("bound", record.bound, Need::optional);
  describe_data_check(fields, record.data);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
