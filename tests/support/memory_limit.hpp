#pragma once
/// \file
/// A limit of memory (`ulimit -v`).

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace nasvm::test {

/// From now on this process gets only so many bytes more, for the rest of its life: call it in a child. Stacks of
/// threads count. False: the system does not say how many it has, or does not allow that.
[[nodiscard]] inline bool limit_memory(std::uint64_t more_bytes) {
  std::uint64_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return false;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit limit{bytes, bytes};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

}  // namespace nasvm::test
