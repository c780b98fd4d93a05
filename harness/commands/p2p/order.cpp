#include "harness/commands/p2p/order.hpp"

#include <array>

#include "harness/session/order.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 3> kind_names{"pair", "collective", "mixed"};

/// A list of one number, or of none.
template <typename Number>
void describe_optional(Fields& fields, const char* name, std::optional<Number>& value) {
  std::vector<std::uint64_t> numbers;
  if (value) numbers.push_back(static_cast<std::uint64_t>(*value));
  fields.counts(name, numbers);
  value = numbers.empty() ? std::nullopt : std::optional<Number>(static_cast<Number>(numbers.front()));
}

void describe(Fields& fields, Effort& effort) {
  describe_optional(fields, "iterations", effort.iterations);
  describe_optional(fields, "warmup", effort.warmup);
  describe_optional(fields, "window", effort.window);
  fields.boolean("check", effort.check_data);
  fields.integer("buffers", effort.buffers);
  fields.real("sample_time_s", effort.sample_time_s);
}

}  // namespace

void describe(Fields& fields, P2pOrder& order) {
  describe_kind(fields, order_kind_p2p);
  fields.choice("measured", order.kind, {kind_names});
  fields.texts("collectives", order.collectives);
  fields.text("yardstick", order.yardstick);
  fields.text("address", order.address);
  fields.counts("sizes", order.sizes);
  describe(fields, order.effort);
  fields.choice("bind", order.bind, {binding_names});
}

void describe(Fields& fields, P2pReport& report) {
  fields.list("records", report.records);
  fields.list("collectives", report.collectives);
  fields.list("mixed", report.mixed);
  fields.texts("complaints", report.complaints);
}

}  // namespace nasvm
