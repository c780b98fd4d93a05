#include "kernels/cg/tile_shape.hpp"

#include <algorithm>

namespace nasvm::cg {

std::int64_t columns_for(std::uint64_t first_level_bytes) {
  constexpr std::int64_t multiple = 512;
  const auto numbers = static_cast<std::int64_t>(first_level_bytes / sizeof(double));
  const std::int64_t columns = numbers * 7 / 12 / multiple * multiple;
  return std::clamp<std::int64_t>(columns, multiple, std::int64_t{1} << offset_bits);
}

}  // namespace nasvm::cg
