#pragma once
/// \file
/// A sparse matrix cut into tiles of columns and rows, in them slices of eight rows: the storage of the timed
/// products (sliced_matrix.hpp, symmetric_matrix.hpp).
///
/// Tiles have equally many columns and a fixed number of rows, so few that what a product needs of both stays in the
/// first-level cache (a TwoSidedMatrix needs two numbers for each column, which are more than that). Tiles of the
/// same columns follow each other. Inside a tile, rows are sorted by their number of elements and taken eight at a
/// time. Such a slice is stored as steps: step k has the k-th element of each of the eight rows, as eight values and
/// eight 16-bit column numbers counted from the tile's first column, four to a word. Rows that end earlier are filled
/// up with zeros in the tile's first column. That is 10 bytes for each element. Source: the sliced ELLPACK format
/// with sorting windows of M. Kreutzer et al., "A unified sparse matrix data format for efficient general sparse
/// matrix-vector multiplication on modern processors with wide SIMD units" (SIAM J. Sci. Comput. 36, 2014), applied
/// to column blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cg/assembly.hpp"
#include "kernels/cg/huge_page_allocator.hpp"
#include "kernels/cg/tile_shape.hpp"

namespace nasvm::cg {

constexpr int slice_rows = 8;
/// A value and a column number.
constexpr int stored_element_bytes = 8 + offset_bits / 8;
constexpr int offsets_per_word = 64 / offset_bits;
constexpr int words_per_step = slice_rows / offsets_per_word;

struct TiledSlices {
  /// Some rows of some columns, and how many slices they have.
  struct Tile {
    std::int64_t first_row = 0;
    std::int64_t first_column = 0;
    std::int64_t slices = 0;
  };
  /// Eight rows of a tile, counted from its first, and the length of the longest.
  struct Slice {
    std::uint16_t rows[slice_rows] = {};
    std::uint16_t steps = 0;
  };

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t tile_columns = 0;  ///< of all tiles, but the last ones may have fewer
  std::vector<Tile> tiles;        ///< those with elements
  HugeVector<Slice> slices;
  HugeVector<double> values;
  HugeVector<std::uint64_t> offsets;  ///< four in a word, the first in its lowest bits
};

/// Converts a compressed matrix with sorted rows. Memory is touched by the calling thread.
[[nodiscard]] TiledSlices tile_and_slice(const SparseBlock& matrix, const TileShape& shape);

/// Where a product has come to in the slices of a matrix.
struct SliceCursor {
  explicit SliceCursor(const TiledSlices& matrix)
      : slice(matrix.slices.data()), values(matrix.values.data()), offsets(matrix.offsets.data()) {}

  const TiledSlices::Slice* slice;
  const double* values;
  const std::uint64_t* offsets;
};

/// Column number of the step's element in that lane. They are extracted from words, because loads are what limits
/// the products.
[[gnu::always_inline]] inline std::uint64_t offset_in(const std::uint64_t* step_offsets, std::size_t lane) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << offset_bits) - 1;
  return step_offsets[lane / offsets_per_word] >> (offset_bits * (lane % offsets_per_word)) & mask;
}

/// What the caches are told of the matrix when it is asked for ahead. `stay`: it goes to all of them. `second`: not
/// to the first, which has little room and holds few requests. `once`: it need not stay. Where the last cache does
/// not contain the others (Intel's servers), it then comes from memory every time; elsewhere it leaves room for what
/// other cores need.
enum class CacheHint : std::uint8_t { stay, second, once };
inline constexpr std::array cache_hints{CacheHint::stay, CacheHint::second, CacheHint::once};

/// Calls work(constant) with that hint.
template <typename Work>
void with_hint(CacheHint hint, const Work& work) {
  switch (hint) {
    case CacheHint::stay:
      return work(std::integral_constant<CacheHint, CacheHint::stay>());
    case CacheHint::second:
      return work(std::integral_constant<CacheHint, CacheHint::second>());
    case CacheHint::once:
      return work(std::integral_constant<CacheHint, CacheHint::once>());
  }
}

/// Asks for the steps some way ahead of these, because the matrix streams from memory; asking past its end does no
/// harm.
template <CacheHint hint>
[[gnu::always_inline]] inline void prefetch_ahead(int steps, const double* values, const std::uint64_t* offsets) {
  constexpr std::ptrdiff_t steps_ahead = 128;  // 8 KB of values, 2 KB of offsets
  constexpr int for_reading = 0;
  constexpr int locality = hint == CacheHint::stay ? 3 : hint == CacheHint::second ? 2 : 0;
  for (std::ptrdiff_t step = steps_ahead; step < steps_ahead + steps; ++step) {
    __builtin_prefetch(values + step * slice_rows, for_reading, locality);
  }
  __builtin_prefetch(offsets + steps_ahead * words_per_step, for_reading, locality);
}

/// Calls `step(values, offsets)` for each step of a slice, and moves the cursor behind it.
template <CacheHint hint, typename Step>
[[gnu::always_inline]] inline void for_each_step(SliceCursor& cursor, Step step) {
  constexpr int unrolled_steps = 4;  // as many as have their offsets in one cache line
  // Copies, which the compiler keeps in registers although the step may write to memory.
  const double* values = cursor.values;
  const std::uint64_t* offsets = cursor.offsets;
  const auto next = [&]() __attribute__((always_inline)) {
    step(values, offsets);
    values += slice_rows;
    offsets += words_per_step;
  };
  int steps = cursor.slice->steps;
  for (; steps >= unrolled_steps; steps -= unrolled_steps) {
    prefetch_ahead<hint>(unrolled_steps, values, offsets);
    for (int i = 0; i < unrolled_steps; ++i) next();
  }
  for (; steps > 0; --steps) {
    prefetch_ahead<hint>(1, values, offsets);
    next();
  }
  cursor.values = values;
  cursor.offsets = offsets;
  ++cursor.slice;
}

}  // namespace nasvm::cg
