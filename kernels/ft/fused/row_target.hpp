#pragma once
/// \file
/// Where the fused engine's transforms put the rows that they make.

#include <cstdint>

#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {

/// A row of nx points, as nx / 8 blocks.
struct RowTarget {
  double* begin = nullptr;
  /// Until the next pass, where its new owner reads it: stored by stream_point(). Else it is sent at once.
  bool stays = false;
};

/// Stores point `index` of the lines from `part` on (stream_point()), of the block that begins `offset` doubles after
/// the row.
[[gnu::always_inline]] inline void put_point(const RowTarget& row, std::int64_t offset, std::int64_t part,
                                             const Point& point, double* kept, std::int64_t index) {
  if (row.stays) stream_point(row.begin + offset, part, point, kept, index);
  else store_point(row.begin + offset + part, point);
}

}  // namespace nasvm::ft
