#pragma once
/// \file
/// A symmetric sparse matrix of which only the diagonal and the elements right of it are stored: half the memory
/// traffic of SlicedMatrix, for matrices that do not fit into any cache.
///
/// The elements right of the diagonal are kept as tiles and slices (tiled_slices.hpp). Each element a(i,j) is used
/// twice: for y(i) += a(i,j) x(j), and for y(j) += a(i,j) x(i). For the columns of a tile, x(j) and what is to be
/// added to y(j) lie side by side in a small array, as one vector of two numbers. One multiply-add of such a pair
/// with (0, x(i)) updates its second number and leaves the first; another adds the pair, times the element, to the
/// row's sums, of which the second is not needed. So no number is moved between lanes, and elements of one step may
/// have the same column, because they are done one after the other.

#include <cstdint>
#include <span>

#include "kernels/cg/tiled_slices.hpp"

namespace nasvm::cg {

class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  /// `upper` is a square matrix with elements only right of its diagonal, compressed, with sorted rows; `diagonal`
  /// has an element for each of its rows. Memory is touched by the calling thread.
  SymmetricMatrix(const SparseBlock& upper, std::span<const double> diagonal, const TileShape& tile);

  /// Rows, and columns.
  [[nodiscard]] std::int64_t size() const { return upper_.rows; }
  /// Elements stored right of the diagonal, with those that only fill up slices.
  [[nodiscard]] std::int64_t stored_elements() const { return static_cast<std::int64_t>(upper_.values.size()); }

  /// y += A x; both have size() elements; they must not overlap. 4 operations and 10 bytes of matrix for each stored
  /// element. Reference loop: multiply_plainly with all elements.
  void add_product(std::span<const double> x, std::span<double> y, CacheHint hint = CacheHint::stay) const;

 private:
  template <CacheHint hint>
  void add_product_with(std::span<const double> x, std::span<double> y) const;

  HugeVector<double> diagonal_;
  TiledSlices upper_;
};

}  // namespace nasvm::cg
