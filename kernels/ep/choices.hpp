#pragma once
/// \file
/// Which loop EP's default variant, and its farm, take, and why.

#include "kernels/common/tuning_choice.hpp"
#include "kernels/ep/tally_x86.hpp"

namespace nasvm::ep {

/// On a processor that has those instructions.
[[nodiscard]] TuningChoice loop_choice(const Instructions& instructions);
/// On this one.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::ep
