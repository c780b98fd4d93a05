#include "harness/commands/p2p/order.hpp"

#include <array>

#include "harness/session/order.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 5> kind_names{"pair", "collective", "mixed", "service", "coupled"};

}  // namespace

void describe(Fields& fields, P2pOrder& order) {
  describe_kind(fields, order_kind_p2p);
  fields.choice("measured", order.kind, {kind_names});
  fields.texts("collectives", order.collectives);
  fields.text("yardstick", order.yardstick);
  fields.text("address", order.address);
  fields.boolean("by_hand", order.by_hand);
  fields.counts("sizes", order.sizes);
  describe(fields, order.effort);
  fields.choice("bind", order.bind, {binding_names});
}

void describe(Fields& fields, P2pReport& report) {
  fields.list("records", report.records);
  fields.list("collectives", report.collectives);
  fields.list("mixed", report.mixed);
  fields.list("service", report.service);
  fields.list("coupled", report.coupled);
  fields.texts("complaints", report.complaints);
}

}  // namespace nasvm
