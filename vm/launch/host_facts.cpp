#include "vm/launch/host_facts.hpp"

namespace nasvm {

HostFacts facts_of(const protocol::Hello& hello) {
  HostFacts facts{.name = hello.name,
                  .address = hello.address,
                  .cpu = hello.cpu,
                  .cores = hello.cores,
                  .memory_bytes = hello.memory_bytes,
                  .kernel = hello.kernel,
                  .daemon_pid = hello.pid,
                  .daemon_version = hello.version,
                  .computer = hello.computer,
                  .caches = {},
                  .modes = {hello.huge_pages, hello.governor, hello.hypervisor},
                  .copy_rates = hello.copy_rates};
  for (const protocol::CacheEntry& cache : hello.caches) {
    facts.caches.push_back({cache.level, cache.bytes, cache.shared_by});
  }
  return facts;
}

protocol::Hello hello_of(const HostFacts& facts) {
  protocol::Hello hello{.name = facts.name,
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
                        .copy_rates = facts.copy_rates};
  for (const Cache& cache : facts.caches) hello.caches.push_back({cache.level, cache.bytes, cache.shared_by});
  return hello;
}

}  // namespace nasvm
