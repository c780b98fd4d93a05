#include "vm/daemon/host_facts.hpp"

#include <sys/utsname.h>

#include "vm/machine_modes.hpp"
#include "vm/machine_topology.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/proc.hpp"

namespace nasvm::daemon {

protocol::Hello host_facts() {
  utsname names{};
  ::uname(&names);
  protocol::Hello facts;
  facts.name = names.nodename;
  facts.computer = boot_id();
  facts.cpu = processor_name(proc_text("/proc/cpuinfo"), names.machine);
  facts.cores = usable_cores();
  facts.memory_bytes = meminfo_bytes(proc_text("/proc/meminfo"), "MemTotal");
  facts.kernel = names.release;
  for (const Cache& cache : data_caches()) facts.caches.push_back({cache.level, cache.bytes, cache.shared_by});
  const MachineModes modes = machine_modes();
  facts.huge_pages = modes.huge_pages;
  facts.governor = modes.governor;
  facts.hypervisor = modes.hypervisor;
  facts.copy_rates = to_text(copy_rates_in_environment());
  return facts;
}

}  // namespace nasvm::daemon
