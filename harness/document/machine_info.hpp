#pragma once
/// \file
/// What this host is: processor, cores, memory, operating system, from /proc and uname. Linux.

#include <cstdint>
#include <span>

#include "harness/document/document.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm {

/// Notes the sizes of data caches.
void set_caches(HostRecord& host, std::span<const Cache> caches);

/// This host. What the system does not tell is "unknown", empty or 0.
HostRecord local_host();

/// How many threads more this host's system, this user's limit and this process' control groups would allow now; the
/// largest number when nobody says.
std::uint64_t available_threads();

}  // namespace nasvm
