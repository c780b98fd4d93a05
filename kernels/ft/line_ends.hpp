#pragma once
/// \file
/// Ends of line transforms (LineTransform::run): where points come from and where frequencies go.

#include "kernels/ft/lanes.hpp"

namespace nasvm::ft {

/// Takes the points of lines whose blocks lie one after the other.
struct TakeBlocks {
  const double* from = nullptr;
  std::int64_t points = 0;

  template <std::size_t radix>
  [[gnu::always_inline]] void operator()(Points<radix>& taken, std::int64_t j) const {
    const std::int64_t step = points / static_cast<std::int64_t>(radix);
    for (std::size_t t = 0; t < radix; ++t) {
      taken[t] = load_point(from + (j + static_cast<std::int64_t>(t) * step) * block_doubles);
    }
  }
};

/// Takes point i of the lines from rows[i] + offset, and asks for the block after it in the row.
struct TakeFromRows {
  const double* const* rows = nullptr;
  std::int64_t offset = 0;
  std::int64_t points = 0;

  template <std::size_t radix>
  [[gnu::always_inline]] void operator()(Points<radix>& taken, std::int64_t j) const {
    const std::int64_t step = points / static_cast<std::int64_t>(radix);
    for (std::size_t t = 0; t < radix; ++t) {
      const double* const from = rows[j + static_cast<std::int64_t>(t) * step] + offset;
      taken[t] = load_point(from);
      prefetch_block(from + block_doubles);
    }
  }
};

}  // namespace nasvm::ft
