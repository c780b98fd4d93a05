#include "vm/transport/shm/peer_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

#include "vm/metrics/clock.hpp"

namespace nasvm::shm {

bool read_memory(pid_t pid, std::uint64_t address, std::span<std::byte> into) {
  // The kernel moves at most 2 GiB in one call.
  for (std::size_t done = 0; done < into.size();) {
    const iovec here{into.data() + done, into.size() - done};
    const iovec there{reinterpret_cast<void*>(address + done), into.size() - done};
    const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool fetching_pays() {
  constexpr std::size_t bytes = 128 * 1024;
  constexpr int attempts = 4;
  std::vector<std::byte> from(bytes, std::byte{1}), ring(bytes), to(bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(from.data());
  Ticks fetching = std::numeric_limits<Ticks>::max();
  Ticks through_ring = fetching;
  // The least of each: everything that disturbs a measurement makes it longer.
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Ticks begin = ticks_now();
    if (!read_memory(::getpid(), address, to)) return false;
    const Ticks fetched = ticks_now();
    std::memcpy(ring.data(), from.data(), bytes);
    std::memcpy(to.data(), ring.data(), bytes);
    fetching = std::min(fetching, fetched - begin);
    through_ring = std::min(through_ring, ticks_now() - fetched);
  }
  return fetching < through_ring;
}

void allow_readers() {
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  if (scope == 1) ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

}  // namespace nasvm::shm
