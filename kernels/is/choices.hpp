#pragma once
/// \file
/// How IS splits keys by owner where they move, and why.

#include "kernels/common/tuning_choice.hpp"
#include "kernels/is/splitting.hpp"

namespace nasvm::is {

/// Among that many owners, on a processor that has those instructions.
[[nodiscard]] TuningChoice splitting_choice(int owners, const Instructions& instructions);
/// In a run of that many tasks on this one; one task splits nothing.
[[nodiscard]] TuningChoices choices_of_run(int tasks);
/// On this one, with few tasks.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::is
