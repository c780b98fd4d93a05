#include "vm/transport/shm/peer_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fstream>

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

void allow_readers(int daemons_on_computer) {
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  const auto readers = readers_to_allow(scope, daemons_on_computer, ::getppid());
  if (readers) ::prctl(PR_SET_PTRACER, *readers, 0, 0, 0);
}

std::optional<unsigned long> readers_to_allow(int yama_scope, int daemons_on_computer, pid_t parent) {
  if (yama_scope != 1) return std::nullopt;
  // Yama takes the descendants of whom it is named, too (Documentation/admin-guide/LSM/Yama.rst).
  return daemons_on_computer == 1 ? static_cast<unsigned long>(parent)
                                  : static_cast<unsigned long>(PR_SET_PTRACER_ANY);
}

}  // namespace nasvm::shm
