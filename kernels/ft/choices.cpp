#include "kernels/ft/choices.hpp"

#include <fmt/format.h>

#include "kernels/common/simd_level.hpp"
#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {

TuningChoice vector_choice(std::int64_t lines, std::string_view level) {
  const std::int64_t turns = block_lines / lines;
  return {"vectors", fmt::format("{} lines", lines),
          fmt::format("compiled for {}: a block of {} lines takes {} turn{}", level, block_lines, turns,
                      turns == 1 ? "" : "s")};
}

TuningChoices choices() { return {vector_choice(vector_lines, simd_level())}; }

}  // namespace nasvm::ft
