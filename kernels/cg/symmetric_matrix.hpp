#pragma once
/// \file
/// A symmetric sparse matrix of which only the diagonal and the elements right of it are stored, these as a
/// TwoSidedMatrix.

#include <cstdint>
#include <span>

#include "kernels/cg/two_sided_matrix.hpp"

namespace nasvm::cg {

class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  /// `upper` is a square matrix with elements only right of its diagonal, compressed, with sorted rows; `diagonal`
  /// has an element for each of its rows. Memory is touched by the calling thread.
  SymmetricMatrix(const SparseBlock& upper, std::span<const double> diagonal, const TileShape& tile);

  /// Rows, and columns.
  [[nodiscard]] std::int64_t size() const { return upper_.rows(); }
  /// Elements stored right of the diagonal, with those that only fill up slices.
  [[nodiscard]] std::int64_t stored_elements() const { return upper_.stored_elements(); }

  /// y += A x; both have size() elements; they must not overlap. 4 operations and 10 bytes of matrix for each stored
  /// element. Reference loop: multiply_plainly with all elements.
  void add_product(std::span<const double> x, std::span<double> y, CacheHint hint = CacheHint::stay);

 private:
  HugeVector<double> diagonal_;
  TwoSidedMatrix upper_;
};

}  // namespace nasvm::cg
