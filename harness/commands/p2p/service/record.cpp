#include "harness/commands/p2p/service/record.hpp"

namespace nasvm {

void describe(Fields& fields, ServiceRecord& record) {
  fields.text("transport", record.transport);
  fields.text("method", record.method, Need::optional);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  fields.real("message_us", record.message_us);
  fields.real("request_us", record.request_us);
  fields.real("sealed_us", record.sealed_us);
  fields.real("thread_us", record.thread_us);
  fields.count("iterations", record.iterations, Need::optional);
  describe_bound(fields, record.bound);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
