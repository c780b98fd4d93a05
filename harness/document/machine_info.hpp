#pragma once
/// \file
/// What this host is: processor, cores, memory, operating system, from /proc and uname. Linux.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/document/document.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm {

/// Notes the sizes of data caches.
void set_caches(HostRecord& host, std::span<const Cache> caches);

/// This host. What the system does not tell is "unknown", empty or 0.
HostRecord local_host();

/// Memory that programs could still take (MemAvailable), in bytes; the largest number if the system does not tell.
std::uint64_t available_memory_bytes();

/// How many threads more this host's system, and this user's limit, would allow now; the largest number when nobody
/// says.
std::uint64_t available_threads();

/// The first value of `key` in text of the form "key : value" per line (/proc/cpuinfo), or "".
std::string proc_value(std::string_view text, std::string_view key);

/// A figure of /proc/meminfo in bytes, or 0.
std::uint64_t meminfo_bytes(std::string_view text, std::string_view key);

}  // namespace nasvm
