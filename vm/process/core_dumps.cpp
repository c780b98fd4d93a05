#include "vm/process/core_dumps.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

namespace nasvm::process {
namespace {

/// Less than any file needs; and where a program takes dumps from a pipe, which no limit of 0 prevents, the kernel
/// gives up at exactly this one (core(5), fs/coredump.c).
constexpr rlim_t no_dump = 1;

}  // namespace

void forbid_core_dumps() {
  if (std::getenv("NASVM_CORE_DUMPS") != nullptr) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = std::min(no_dump, limit.rlim_max);
  ::setrlimit(RLIMIT_CORE, &limit);
}

}  // namespace nasvm::process
