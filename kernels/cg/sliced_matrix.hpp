#pragma once
/// \file
/// A sparse matrix in the format of the timed product: tiles of columns and rows, in them slices of eight rows.
///
/// The matrix is cut into tiles of equally many columns, so few that their part of the input stays in the first-level
/// cache, and `tile_rows` rows, whose part of the result stays there too. Inside a tile, rows are sorted by their
/// number of elements and taken eight at a time. Such a slice is stored as steps: step k has the k-th element of each
/// of the eight rows, as eight values and eight 16-bit column numbers counted from the tile's first column, four to a
/// word. Rows that end earlier are filled up with zeros. So eight sums are formed in the lanes of vector registers,
/// from 10 bytes for each element, and nothing is reduced at the end of a row.
/// Source: the sliced ELLPACK format with sorting windows of M. Kreutzer et al., "A unified sparse matrix data format
/// for efficient general sparse matrix-vector multiplication on modern processors with wide SIMD units" (SIAM J. Sci.
/// Comput. 36, 2014), applied to column blocks.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cg/assembly.hpp"
#include "kernels/cg/huge_page_allocator.hpp"

namespace nasvm::cg {

/// y = A x by the definition, row by row: what the tuned product is held against.
void multiply_plainly(const SparseBlock& matrix, std::span<const double> x, std::span<double> y);

class SlicedMatrix {
 public:
  static constexpr std::int64_t most_tile_columns = 3584;  ///< 28 KB of the input
  static constexpr std::int64_t tile_rows = 512;
  static constexpr int slice_rows = 8;

  SlicedMatrix() = default;
  /// Converts a compressed matrix with sorted rows. Memory is touched by the calling thread.
  explicit SlicedMatrix(const SparseBlock& matrix);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// Elements stored, with those that only fill up slices.
  [[nodiscard]] std::int64_t stored_elements() const { return static_cast<std::int64_t>(values_.size()); }

  /// y = A x; x has columns() elements, y has rows(); they must not overlap.
  /// Reference loop: multiply_plainly. 2 operations and 10 bytes of matrix for each stored element.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
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
  class Builder;

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<Tile> tiles_;
  HugeVector<Slice> slices_;
  HugeVector<double> values_;
  HugeVector<std::uint64_t> offsets_;  ///< four in a word, the first in its lowest bits
};

}  // namespace nasvm::cg
