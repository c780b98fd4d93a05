#include "vm/system/order.hpp"

namespace nasvm {

system_protocol::Order order_for(const Machine::Program& program, const Parameters& parameters, int cores) {
  const bool crowded = program.size * program.threads > cores;
  const bool bound = program.bind == Binding::core && !crowded && program.size > 1;
  system_protocol::Order order;
  order.setup = program.setup;
  order.parameters = parameters;
  order.own_cores = bound ? program.threads : 0;
  return order;
}

}  // namespace nasvm
