#pragma once
/// \file
/// What EP says of its result.

#include "kernels/ep/problem.hpp"
#include "kernels/ep/tally.hpp"
#include "kernels/kernel.hpp"

namespace nasvm::ep {

/// Fills `verified` and `details`.
void conclude(const Parameters& parameters, const Tally& result, Outcome& outcome);

}  // namespace nasvm::ep
