#pragma once
/// \file
/// A sparse matrix in the format of the timed product (tiled_slices.hpp), each element stored.
///
/// Eight sums, of the rows of a slice, are formed in the lanes of vector registers, and nothing is reduced at the end
/// of a row. The input of a tile and its result stay in the first-level cache.

#include <cstdint>
#include <span>

#include "kernels/cg/tiled_slices.hpp"

namespace nasvm::cg {

/// y = A x by the definition, row by row: what the tuned products are held against.
void multiply_plainly(const SparseBlock& matrix, std::span<const double> x, std::span<double> y);

class SlicedMatrix {
 public:
  SlicedMatrix() = default;
  /// Converts a compressed matrix with sorted rows. Memory is touched by the calling thread.
  SlicedMatrix(const SparseBlock& matrix, const TileShape& tile) : matrix_(tile_and_slice(matrix, tile)) {}

  /// Elements stored, with those that only fill up slices.
  [[nodiscard]] std::int64_t stored_elements() const { return static_cast<std::int64_t>(matrix_.values.size()); }

  /// y = A x; x has as many elements as the matrix has columns, y as it has rows; they must not overlap.
  /// Reference loop: multiply_plainly. 2 operations and 10 bytes of matrix for each stored element.
  void multiply(std::span<const double> x, std::span<double> y, CacheHint hint = CacheHint::stay) const;

 private:
  template <CacheHint hint>
  void multiply_with(std::span<const double> x, std::span<double> y) const;

  TiledSlices matrix_;
};

}  // namespace nasvm::cg
