#include "harness/measuring/effort.hpp"

#include <vector>

namespace nasvm {
namespace {

/// A list of one number, or of none.
template <typename Number>
void describe_optional(Fields& fields, const char* name, std::optional<Number>& value) {
  std::vector<std::uint64_t> numbers;
  if (value) numbers.push_back(static_cast<std::uint64_t>(*value));
  fields.counts(name, numbers);
  value = numbers.empty() ? std::nullopt : std::optional<Number>(static_cast<Number>(numbers.front()));
}

}  // namespace

void describe(Fields& fields, Effort& effort) {
  describe_optional(fields, "iterations", effort.iterations);
  describe_optional(fields, "warmup", effort.warmup);
  describe_optional(fields, "window", effort.window);
  fields.boolean("check", effort.check_data);
  fields.integer("buffers", effort.buffers);
  fields.real("sample_time_s", effort.sample_time_s);
}

}  // namespace nasvm
