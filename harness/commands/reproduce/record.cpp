#include "harness/commands/reproduce/record.hpp"

#include <array>

namespace nasvm {

void describe(Fields& fields, TestbedRecord& testbed) {
  static constexpr std::array<std::string_view, 2> media{"shared", "switched"};
  fields.text("name", testbed.name);
  fields.integer("hosts", testbed.hosts);
  fields.integer("rate_mbit_s", testbed.rate_mbit_s);
  fields.choice("medium", testbed.medium, Choices{media});
  fields.boolean("quick", testbed.quick, Need::optional);
}

void describe(Fields& fields, YardstickRecord& yardstick) {
  fields.text("kernel", yardstick.kernel);
  fields.letter("class", yardstick.problem_class);
  fields.integer("np", yardstick.np);
  fields.text("variant", yardstick.variant);
  fields.count("volume_bytes", yardstick.volume_bytes);
  fields.count("messages", yardstick.messages);
  fields.real("time_s", yardstick.time_s);
}

}  // namespace nasvm
