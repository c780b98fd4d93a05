#pragma once
/// \file
/// Ends of line transforms (LineTransform::run): where points come from and where frequencies go.

#include "kernels/ft/fused/lanes.hpp"

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

/// Takes point i of the lines from rows[i] + offset, and asks for what comes next in the rows: from a fourth of the
/// rows each time the next four blocks, since rows are far apart, and memory is faster at half a kilobyte in sequence
/// than at a block here and a block there; and just before it is read the next block once more, should it not have
/// come.
class TakeFromRows {
 public:
  TakeFromRows(const double* const* rows, std::int64_t offset, std::int64_t points)
      : rows_(rows), block_(offset - offset % block_lines), part_(offset % block_lines), points_(points) {}

  template <std::size_t radix>
  [[gnu::always_inline]] void operator()(Points<radix>& taken, std::int64_t j) const {
    const std::int64_t step = points_ / static_cast<std::int64_t>(radix);
    for (std::size_t t = 0; t < radix; ++t) {
      const std::int64_t row = j + static_cast<std::int64_t>(t) * step;
      const double* const block = rows_[row] + block_;
      taken[t] = load_point(block + part_);
      prefetch_block(block + block_doubles, part_);
      if (static_cast<std::int64_t>(t) % group == block_ / block_doubles % group) prefetch_group(row);
    }
  }

 private:
  static constexpr std::int64_t group = 4;

  [[gnu::always_inline]] void prefetch_group(std::int64_t row) const {
    constexpr std::int64_t group_doubles = group * block_doubles;
    const double* const next = rows_[row] + (block_ / group_doubles + 1) * group_doubles;
    for (std::int64_t block = 0; block < group_doubles; block += block_doubles) prefetch_block(next + block, part_);
  }

  const double* const* rows_;
  std::int64_t block_;  ///< where the block begins in each row
  std::int64_t part_;   ///< of the block: its first line
  std::int64_t points_;
};

}  // namespace nasvm::ft
