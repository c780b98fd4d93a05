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
  fields.real("average_us", record.average_us, Need::optional, shown_if_known(shown, record.average_us));
  fields.real("back_to_back_us", record.back_to_back_us, Need::optional,
              shown_if_known(shown, record.back_to_back_us));
  fields.count("iterations", record.iterations, Need::optional);
  describe_bound(fields, record.bound);
  describe_data_check(fields, record.data);
  if (fields.has("hosts_used", record.hosts_used != 0))
    fields.integer("hosts_used", record.hosts_used, Need::optional);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
