#pragma once
/// \file
/// Cores and caches of this computer, as far as this process may use them (taskset, cpusets of control groups): the
/// one place that asks. Cores are hardware threads, numbered as the system numbers them.
///
/// Questions about cores are a system call or two, so every task can ask them when it starts. Caches are hwloc's
/// answer, which takes milliseconds (F. Broquedis et al., "hwloc: a Generic Framework for Managing Hardware
/// Affinities in HPC Applications", PDP 2010). Nothing here throws or blocks.

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace nasvm {

/// The cores that the calling thread, or another one, may use, by their numbers; none where the system does not tell.
std::vector<int> usable_core_numbers(pid_t thread = 0);

/// How many they are, 1 at least.
int usable_cores();

/// Keeps the calling thread, or another one, and threads that it starts later, on these cores. False: the system
/// refuses.
bool bind_to_cores(std::span<const int> cores, pid_t thread = 0);

/// A data cache.
struct Cache {
  int level = 1;  ///< 1, 2, 3
  std::uint64_t bytes = 0;
  int shared_by = 1;  ///< hardware threads that use it together, those included that this process may not use

  bool operator==(const Cache&) const = default;
};

/// The data caches of the first core that this thread may use, from the nearest to the farthest. Where nobody tells
/// (neither /sys nor the processor), 32 KiB and 1 MiB for each core.
std::vector<Cache> data_caches();

/// What some cores have of the data caches of one level.
struct CacheLevel {
  int level = 1;                        ///< 1, 2, 3
  std::uint64_t bytes = 0;              ///< of all the caches together that any of these cores uses
  std::uint64_t least_share_bytes = 0;  ///< of a core that shares its cache with most of the others

  bool operator==(const CacheLevel&) const = default;
};

/// Those of these cores, one at least, from the nearest to the farthest. Where nobody tells, 32 KiB and 1 MiB for
/// each core.
std::vector<CacheLevel> cache_levels(std::span<const int> cores);

}  // namespace nasvm
