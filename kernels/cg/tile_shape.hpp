#pragma once
/// \file
/// How large the tiles of a product are. It depends on the first-level cache: docs/decisions/cg-product-format.md.

#include <cstdint>

namespace nasvm::cg {

/// Of a column number within a tile.
constexpr int offset_bits = 16;

/// Limits of a tile: columns, at most 2^16, and rows, at most 2^16.
struct TileShape {
  std::int64_t most_columns = 0;
  std::int64_t rows = 0;
};

/// Columns whose part of the input takes 7/12 of a first-level cache of so many bytes; the matrix that streams
/// through needs the rest. A multiple of 512, and 2^16 at most.
[[nodiscard]] std::int64_t columns_for(std::uint64_t first_level_bytes);

}  // namespace nasvm::cg
