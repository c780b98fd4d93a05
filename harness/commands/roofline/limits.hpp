#pragma once
/// \file
/// Measures the limits of this host: bandwidth of every cache level and of memory, rate of multiply-adds.

#include <functional>
#include <span>
#include <vector>

#include "harness/commands/roofline/record.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm {

/// Measures with each of these numbers of cores working at once (each with data of its own, bound to its core);
/// numbers beyond the cores that this process may use count as all of them. Blocks, a few seconds. The best of
/// several tries. Throws RunError: no memory for that, or no thread for each core. Throws Interrupted
/// between two figures.
std::vector<LimitRecord> measure_limits(std::span<const int> core_counts);

/// Who measures: that, or a stand-in for tests.
using LimitsProbe = std::function<std::vector<LimitRecord>(std::span<const int> core_counts)>;

/// How much each core goes through to measure one level: half of its share of the cache, or of the least share where
/// not all are alike.
std::uint64_t probe_bytes(const CacheLevel& level);
/// The same for memory, with `cores` of them: together four times all that the caches hold, 64 MB at least for each.
std::uint64_t probe_memory_bytes(std::span<const CacheLevel> levels, int cores);

}  // namespace nasvm
