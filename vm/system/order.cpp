#include "vm/system/order.hpp"

namespace nasvm {

system_protocol::Order order_for(const Machine::Program& program, const Parameters& parameters, int cores) {
  const bool crowded = program.size * program.threads > cores;
  system_protocol::Order order;
  order.setup = program.setup;
  order.parameters = parameters;
  order.own_cores = program.bind && !crowded && program.size > 1 ? program.threads : 0;
  return order;
}

}  // namespace nasvm
