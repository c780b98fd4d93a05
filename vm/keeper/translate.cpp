#include "vm/keeper/translate.hpp"

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
  const HostFacts& facts = host.facts;
  HostState state{.host = entries_of({host.spec}).front(),
                  .facts = {.name = facts.name,
                            .pid = facts.daemon_pid,
                            .version = facts.daemon_version,
                            .address = facts.address,
                            .computer = facts.computer,
                            .cpu = facts.cpu,
                            .cores = facts.cores,
                            .memory_bytes = facts.memory_bytes,
                            .kernel = facts.kernel,
                            .caches = {},
                            .huge_pages = facts.modes.huge_pages,
                            .governor = facts.modes.governor,
                            .hypervisor = facts.modes.hypervisor,
                            .copy_rates = facts.copy_rates},
                  .lost = host.lost};
  for (const Cache& cache : facts.caches) state.facts.caches.push_back({cache.level, cache.bytes, cache.shared_by});
  return state;
}

Machine::Host host_of(const HostState& state) {
  const protocol::Hello& facts = state.facts;
  Machine::Host host{.spec = hosts_of({state.host}).front(),
                     .facts = {.name = facts.name,
                               .address = facts.address,
                               .cpu = facts.cpu,
                               .cores = facts.cores,
                               .memory_bytes = facts.memory_bytes,
                               .kernel = facts.kernel,
                               .daemon_pid = facts.pid,
                               .daemon_version = facts.version,
                               .computer = facts.computer,
                               .caches = {},
                               .modes = {facts.huge_pages, facts.governor, facts.hypervisor},
                               .copy_rates = facts.copy_rates},
                     .lost = state.lost};
  for (const protocol::CacheEntry& cache : facts.caches) {
    host.facts.caches.push_back({cache.level, cache.bytes, cache.shared_by});
  }
  return host;
}

Run request_of(const Machine::Program& program) {
  Run request{.program = program.path,
              .arguments = program.arguments,
              .environment = program.environment,
              .size = program.size,
              .hosts = program.hosts,
              .on = entries_of(program.on),
              .threads = program.threads,
              .setup = {.program = program.setup,
                        .transport = program.transport,
                        .pairs = {},
                        .bind = program.bind == Binding::core},
              .timeout_ms = program.timeout.count()};
  for (const auto& [first, second, transport] : program.pair_orders) {
    request.setup.pairs.push_back({first, second, transport});
  }
  return request;
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
                           .setup = request.setup.program,
                           .timeout = std::chrono::milliseconds(request.timeout_ms)};
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
