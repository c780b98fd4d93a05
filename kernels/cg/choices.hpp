#pragma once
/// \file
/// How wide the tiles of CG's matrix are, in which form a slab of it is kept, what products tell the caches about it,
/// and why.

#include <span>

#include "kernels/cg/slab.hpp"
#include "kernels/common/tuning_choice.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm::cg {

/// For a first-level cache of so many bytes.
[[nodiscard]] TuningChoice tile_choice(std::uint64_t first_level_bytes);
/// Of a slab for about so many elements that has been kept so. `caches` from the nearest to the farthest.
[[nodiscard]] TuningChoice form_choice(double elements, SlabForm form, std::span<const Cache> caches);
[[nodiscard]] TuningChoice hint_choice(double elements, SlabForm form, std::span<const Cache> caches);
/// All of that slab's.
[[nodiscard]] TuningChoices choices_of_slab(double elements, SlabForm form, std::span<const Cache> caches);

/// Before any run.
[[nodiscard]] TuningChoices choices_for(std::span<const Cache> caches);
/// On this processor. Takes milliseconds.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::cg
