#pragma once
/// \file
/// Memory that processes share by a descriptor: a file without a name in any file system (memfd_create(2)).

#include <cstddef>

#include "vm/net/fd.hpp"

namespace nasvm {

/// A new one of `bytes` zeros, which closes when a program is executed; `name` is for /proc alone. None: errno says
/// why. EFBIG where files may not be as long as that (RLIMIT_FSIZE, `ulimit -f`), also in a program of others, which
/// need not ignore SIGXFSZ: no signal comes.
[[nodiscard]] net::Fd make_memory_file(const char* name, std::size_t bytes);

}  // namespace nasvm
