#pragma once
/// \file
/// The vectors of FT's own engine, and why they are so long.

#include <cstdint>
#include <string_view>

#include "kernels/common/tuning_choice.hpp"

namespace nasvm::ft {

/// Of so many lines that are transformed at once by kernels compiled for `level` (simd_level()).
[[nodiscard]] TuningChoice vector_choice(std::int64_t lines, std::string_view level);
/// Of the kernels that are running.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::ft
