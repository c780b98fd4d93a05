#pragma once
/// \file
/// What this host is: processor, cores, memory, operating system, from /proc and uname. Linux.

#include <span>

#include "harness/document/document.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm {

/// Notes the sizes of data caches.
void set_caches(HostRecord& host, std::span<const Cache> caches);

/// This host. What the system does not tell is "unknown", empty or 0.
HostRecord local_host();

}  // namespace nasvm
