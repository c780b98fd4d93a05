#pragma once
/// \file
/// A block of a symmetric matrix that stands for its transposed, too: each element is stored once and used twice,
/// which is half the memory traffic of SlicedMatrix, for matrices that do not fit into any cache.
///
/// The elements are kept as tiles and slices (tiled_slices.hpp). Each element b(i,j) is used for y(i) += b(i,j) x(j),
/// and for y'(j) += b(i,j) x'(i). For the columns of a tile, x(j) and what is to be added to y'(j) lie side by side
/// in a small array, as one vector of two numbers. One multiply-add of such a pair with (0, x'(i)) updates its second
/// number and leaves the first; another adds the pair, times the element, to the row's sums, of which the second is
/// not needed. So no number is moved between lanes, and elements of one step may have the same column, because they
/// are done one after the other.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cg/tiled_slices.hpp"

namespace nasvm::cg {

class TwoSidedMatrix {
 public:
  TwoSidedMatrix() = default;
  /// Converts a compressed matrix with sorted rows. Memory is touched by the calling thread.
  TwoSidedMatrix(const SparseBlock& matrix, const TileShape& tile)
      : matrix_(tile_and_slice(matrix, tile)), pairs_(2 * static_cast<std::size_t>(matrix_.tile_columns)) {}

  [[nodiscard]] std::int64_t rows() const { return matrix_.rows; }
  [[nodiscard]] std::int64_t columns() const { return matrix_.columns; }
  /// Elements stored, with those that only fill up slices.
  [[nodiscard]] std::int64_t stored_elements() const { return static_cast<std::int64_t>(matrix_.values.size()); }

  /// What the columns and the rows take in and get: numbers of the columns are for the rows' sums, and the reverse.
  struct Vectors {
    std::span<const double> x_of_columns;
    std::span<const double> x_of_rows;
    std::span<double> y_of_rows;
    std::span<double> y_of_columns;
  };

  /// y_of_rows += B x_of_columns and y_of_columns += B^T x_of_rows. Inputs must not overlap results; both results may
  /// be the same vector. 4 operations and 10 bytes of matrix for each stored element.
  void add_products(const Vectors& vectors, CacheHint hint = CacheHint::stay);

 private:
  template <CacheHint hint>
  void add_products_with(const Vectors& vectors);

  TiledSlices matrix_;
  HugeVector<double> pairs_;  ///< of a tile's columns, during a product
};

}  // namespace nasvm::cg
