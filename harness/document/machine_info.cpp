#include "harness/document/machine_info.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "vm/machine_modes.hpp"
#include "vm/proc.hpp"

namespace nasvm {
namespace {

/// The number that a text begins with; the largest one when it begins with none.
std::uint64_t number_or_most(std::string_view text) {
  std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// All threads that there are: the second number of "1/243", the fourth word of /proc/loadavg.
std::uint64_t present_threads(std::string_view loadavg) {
  const auto slash = loadavg.find('/');
  return slash == std::string_view::npos ? 0 : number_or_most(loadavg.substr(slash + 1));
}

}  // namespace

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

std::uint64_t available_threads() {
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const char* path : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"}) {
    most = std::min(most, number_or_most(proc_text(path)));
  }
  rlimit limit{};
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0)
    most = std::min<std::uint64_t>(most, limit.rlim_cur);
  const std::uint64_t present = present_threads(proc_text("/proc/loadavg"));
  return std::min(most - std::min(most, present), threads_left_by_groups());
}

}  // namespace nasvm
