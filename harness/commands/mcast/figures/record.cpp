#include "harness/commands/mcast/figures/record.hpp"

namespace nasvm {

void describe(Fields& fields, McastFigureRecord& figure) {
  fields.text("name", figure.name);
  fields.integer("hosts", figure.hosts);
  fields.integer("rate_mbit_s", figure.rate_mbit_s);
  fields.boolean("quick", figure.quick, Need::optional);
}

}  // namespace nasvm
