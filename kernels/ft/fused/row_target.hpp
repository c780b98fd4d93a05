#pragma once
/// \file
/// Where the fused engine's transforms put the rows that they make.

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {

/// A row of nx points, as nx / 8 blocks.
struct RowTarget {
  double* begin = nullptr;
  /// Until the next pass, where its new owner reads it: stored past the caches. Else it is sent at once.
  bool stays = false;
};

/// Blocks that wait in the second cache (576 bytes a row: 144 KiB in class B) until every row has four in sequence,
/// which leave together: rows are far apart, and memory takes half a kilobyte for one of them faster than a block
/// (measured: docs/kernels/ft.md).
class RowGroup {
 public:
  /// Doubles of memory for a group of `rows` rows.
  static constexpr std::int64_t doubles(std::int64_t rows) { return rows * pitch; }

  /// In `memory`, on a cache line.
  explicit RowGroup(double* memory) : memory_(memory) {}

  /// Where the lines from x on wait: point i of them is stored `i * pitch` doubles further.
  [[nodiscard]] double* place(std::int64_t x) const { return memory_ + place_in_row(x) % group_doubles; }
  /// After the lines from x on: if the group is full, its blocks leave for their rows.
  void leave(std::span<const RowTarget> rows, std::int64_t x) const {
    const std::int64_t end = x + vector_lines;
    if (end % (blocks * block_lines) != 0) return;
    const std::int64_t begin = place_in_row(end) - group_doubles;
    const double* from = memory_;
    for (const RowTarget& row : rows) {
      if (row.stays) stream_out(row.begin + begin, from, group_doubles);
      else std::copy_n(from, group_doubles, row.begin + begin);
      from += pitch;
    }
  }

  static constexpr std::int64_t blocks = 4;
  static constexpr std::int64_t group_doubles = blocks * block_doubles;
  /// A cache line more than the group has: a power of two apart, rows would share a few sets of the caches.
  static constexpr std::int64_t pitch = group_doubles + 64 / std::int64_t{sizeof(double)};

 private:
  double* memory_;
};

}  // namespace nasvm::ft
