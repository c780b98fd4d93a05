#include "harness/document/machine_info.hpp"

#include <string>

#include <sys/utsname.h>

#include "vm/machine_modes.hpp"
#include "vm/proc.hpp"

namespace nasvm {
void set_caches(HostRecord& host, std::span<const Cache> caches) {
  for (const Cache& cache : caches) {
    if (cache.level == 1) host.l1d_bytes = cache.bytes;
    if (cache.level == 2) host.l2_bytes = cache.bytes;
    if (cache.level == 3) host.l3_bytes = cache.bytes;
  }
}

HostRecord local_host() {
  HostRecord host;
  utsname system{};
  ::uname(&system);
  host.name = system.nodename;
  host.cpu = processor_name(proc_text("/proc/cpuinfo"), system.machine);
  host.cores = usable_cores();
  host.memory_bytes = meminfo_bytes(proc_text("/proc/meminfo"), "MemTotal");
  host.kernel = std::string(system.sysname) + " " + system.release;
  const MachineModes modes = machine_modes();
  host.huge_pages = modes.huge_pages;
  host.governor = modes.governor;
  host.hypervisor = modes.hypervisor;
  set_caches(host, data_caches());
  return host;
}

}  // namespace nasvm
