#include "harness/commands/mcast/order.hpp"

#include "harness/session/order.hpp"

namespace nasvm {

void describe(Fields& fields, McastOrder& order) {
  describe_kind(fields, order_kind_mcast);
  fields.text("protocol", order.protocol);
  fields.boolean("authenticated", order.authenticated);
  fields.integer("ttl", order.ttl);
  fields.counts("sizes", order.sizes);
  describe(fields, order.effort);
}

void describe(Fields& fields, McastReport& report) {
  fields.list("records", report.records);
  fields.texts("complaints", report.complaints);
  fields.texts("remarks", report.remarks);
}

}  // namespace nasvm
