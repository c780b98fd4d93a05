#include "vm/keeper/translate.hpp"

#include "vm/launch/host_facts.hpp"
#include "vm/launch/program_run.hpp"

namespace nasvm::keeper {

std::vector<HostEntry> entries_of(const std::vector<HostSpec>& hosts) {
  std::vector<HostEntry> entries;
  for (const HostSpec& host : hosts) {
    entries.push_back({host.name, host.address, host.slots, host.max_slots, host.source});
  }
  return entries;
}

std::vector<HostSpec> hosts_of(const std::vector<HostEntry>& entries) {
  std::vector<HostSpec> hosts;
  for (const HostEntry& entry : entries) {
    hosts.push_back({entry.name, entry.address, entry.slots, entry.max_slots, entry.source});
  }
  return hosts;
}

HostState state_of(const Machine::Host& host) {
  return {.host = entries_of({host.spec}).front(), .facts = hello_of(host.facts), .lost = host.lost};
}

Machine::Host host_of(const HostState& state) {
  return {.spec = hosts_of({state.host}).front(), .facts = nasvm::facts_of(state.facts), .lost = state.lost};
}

Run request_of(const Machine::Program& program) {
  return {.program = program.path,
          .arguments = program.arguments,
          .environment = program.environment,
          .size = program.size,
          .hosts = program.hosts,
          .on = entries_of(program.on),
          .threads = program.threads,
          .setup = setup_of(program),
          .timeout_ms = program.timeout.count()};
}

Machine::Program program_of(const Run& request) {
  Machine::Program program{.path = request.program,
                           .arguments = request.arguments,
                           .environment = request.environment,
                           .size = request.size,
                           .hosts = request.hosts,
                           .on = hosts_of(request.on),
                           .threads = request.threads,
                           .bind = request.setup.bind ? Binding::core : Binding::none,
                           .transport = request.setup.transport,
                           .pair_orders = {},
                           .multicast = request.setup.multicast,
                           .setup = request.setup.program,
                           .timeout = std::chrono::milliseconds(request.timeout_ms),
                           .timeout_option = "--timeout"};  // commands of nasvm alone ask a keeper
  for (const auto& [first, second, transport] : request.setup.pairs) {
    program.pair_orders.push_back({first, second, transport});
  }
  return program;
}

Order order_of(const std::string& name, const Machine::Options& options) {
  return {.name = name,
          .hosts = entries_of(options.hosts),
          .launcher = options.launcher,
          .rsh = options.rsh,
          .copy = options.copy,
          .interface = options.interface};
}

Machine::Options options_of(const Order& order) {
  return {.hosts = hosts_of(order.hosts),
          .launcher = order.launcher,
          .rsh = order.rsh,
          .copy = order.copy,
          .interface = order.interface,
          .goes_on = true};
}

}  // namespace nasvm::keeper
