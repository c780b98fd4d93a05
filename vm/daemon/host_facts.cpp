#include "vm/daemon/host_facts.hpp"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fstream>
#include <string>

#include "vm/machine_modes.hpp"
#include "vm/machine_topology.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/proc.hpp"

namespace nasvm::daemon {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

protocol::Hello host_facts() {
  utsname names{};
  ::uname(&names);
  struct sysinfo memory {};
  ::sysinfo(&memory);
  protocol::Hello facts;
  facts.name = names.nodename;
  facts.computer = boot_id();
  facts.cpu = processor_name();
  facts.cores = usable_cores();
  facts.memory_bytes = static_cast<std::uint64_t>(memory.totalram) * memory.mem_unit;
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
