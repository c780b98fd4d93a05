#include "vm/memory_file.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace nasvm {

net::Fd make_memory_file(const char* name, std::size_t bytes) {
  // Sizing it beyond the limit would send SIGXFSZ, which ends a program that leaves that as the system has it.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) {
    errno = EFBIG;
    return {};
  }
  net::Fd memory(::memfd_create(name, MFD_CLOEXEC));
  if (memory && ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
    const int reason = errno;
    memory.reset();
    errno = reason;
  }
  return memory;
}

}  // namespace nasvm
