#pragma once
/// \file
/// What kernels ask of the data caches that they choose blocks, tiles and strips for.

#include <cstdint>
#include <span>
#include <vector>

#include "vm/machine_topology.hpp"

namespace nasvm {

// `caches` are all of a core's, from the nearest to the farthest.

/// Does the core have that cache for itself? Not where more hardware threads use it than the first one, as four small
/// cores use one second-level cache, and not beyond the second level: those are shared by the cores of a chip, though
/// a virtual machine of one core does not see the others.
[[nodiscard]] bool is_own(const Cache& cache, std::span<const Cache> caches);

/// The largest that a core has for itself; the first if it has none.
[[nodiscard]] const Cache& own_cache(std::span<const Cache> caches);

/// How many bytes a core has for itself up to the second level: of a cache that it shares, its part.
[[nodiscard]] std::uint64_t own_bytes(std::span<const Cache> caches);

/// data_caches() of this process, asked for once, because that takes milliseconds.
[[nodiscard]] const std::vector<Cache>& caches_here();

}  // namespace nasvm
