#pragma once
/// \file
/// EP's work in units that are handed out on demand (variant farm).
///
/// A unit's row is {sx, its rest, sy, its rest, counts of the annuli}. Each sum is a multiple of 2^-20 and a rest in
/// multiples of 2^-46, about what the last bit of a unit's sum is worth: so rows add up without rounding, and the
/// result has the same bits whoever has computed what, with the same loop.

#include "kernels/kernel.hpp"

namespace nasvm::ep {

/// Batches in a unit: what ends a range of batches costs little beside them.
inline constexpr std::int64_t unit_batches = 4;

extern const FarmedWork farmed_work;

/// Bounds from above: each unit goes to each worker once at most, alone.
Traffic farm_traffic(const Problem& problem, int tasks);

}  // namespace nasvm::ep
