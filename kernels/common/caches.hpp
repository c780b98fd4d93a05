#pragma once
/// \file
/// What kernels ask of the data caches that they choose blocks, tiles and strips for.

#include <span>
#include <vector>

#include "vm/machine_topology.hpp"

namespace nasvm {

/// Caches up to this level are a core's own; farther ones are shared by the cores of a chip.
inline constexpr int own_levels = 2;

/// The largest that a core has for itself; the first if it has none. `caches` from the nearest to the farthest.
[[nodiscard]] const Cache& own_cache(std::span<const Cache> caches);

/// data_caches() of this process, asked for once, because that takes milliseconds.
[[nodiscard]] const std::vector<Cache>& caches_here();

}  // namespace nasvm
