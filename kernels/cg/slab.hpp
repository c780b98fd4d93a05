#pragma once
/// \file
/// Some rows of a task's block of the matrix in the formats of the timed product: what lies symmetrically to itself
/// as a SymmetricMatrix, if that is wanted, what is kept of a block in common with another task as a TwoSidedMatrix,
/// and the rest as a SlicedMatrix.

#include <cstdint>
#include <span>

#include "kernels/cg/assembly.hpp"
#include "kernels/cg/common_block.hpp"
#include "kernels/cg/intervals.hpp"
#include "kernels/cg/sliced_matrix.hpp"
#include "kernels/cg/storage.hpp"
#include "kernels/cg/symmetric_matrix.hpp"

namespace nasvm::cg {

/// A square part of a slab, whose columns are the same elements of a vector as its rows.
struct Square {
  std::int64_t first_row = 0;     ///< in the slab
  std::int64_t first_column = 0;  ///< in the slab
  std::int64_t size = 0;          ///< 0: there is none, or it is not to be treated apart

  [[nodiscard]] bool contains(std::int64_t row, std::int64_t column) const {
    return row >= first_row && row < first_row + size && column >= first_column && column < first_column + size;
  }
};

/// The largest square of the slab with these rows and columns of a symmetric matrix.
[[nodiscard]] Square largest_square(Range rows, const IntervalSet& columns);

/// What has been chosen for a slab.
struct SlabForm {
  bool halved = false;  ///< of its square one half is stored
  CacheHint hint = CacheHint::stay;
};

class Slab {
 public:
  Slab() = default;
  /// Converts rows assembled from a symmetric matrix, checks the product, and gives the assembled form up. Throws
  /// std::logic_error if the products differ. `square` as from largest_square; it has no column of the common block.
  /// Tiles have so many columns at most. Memory is touched by the calling thread.
  Slab(SparseBlock assembled, const Square& square, const CommonBlock& common, std::int64_t tile_columns);

  /// Elements of the matrix, without those that the format adds, and with those that symmetry spares here.
  [[nodiscard]] std::int64_t nonzeros() const { return nonzeros_; }

  /// y = A x; x has as many elements as the slab has columns, y as it has rows; they must not overlap. If there is a
  /// common block, y lacks what the other task forms, and `other`, with as many elements as that has columns, gets
  /// what the other task lacks.
  void multiply(std::span<const double> x, std::span<double> y, std::span<double> other = {});
  /// What products tell the caches from now on.
  void set_hint(CacheHint hint) { hint_ = hint; }
  [[nodiscard]] SlabForm form() const { return {place_.size > 0, hint_}; }

 private:
  /// Of a vector over the slab's columns: what has the numbers of the slab's rows.
  [[nodiscard]] std::span<const double> own_part(std::span<const double> x, std::size_t rows) const;

  std::int64_t nonzeros_ = 0;
  Square place_;
  CommonBlock common_;
  SymmetricMatrix square_;
  TwoSidedMatrix common_elements_;
  SlicedMatrix rest_;
  CacheHint hint_ = CacheHint::stay;
};

/// A slab in each form that may be the one to take; `square` is the part that can be halved. Memory is touched by the
/// calling thread. The assembled form is copied only where there are two others.
class SlabForms {
 public:
  SlabForms() = default;
  SlabForms(SparseBlock assembled, const Square& square, const CommonBlock& common, std::int64_t tile_columns,
            Storage storage);

  /// The one to take, once. Takes some products' time where the slab is larger than a core's own caches: the form, if
  /// it is to be the faster one, and the hint to the caches are found by trial.
  [[nodiscard]] Slab take();

 private:
  bool are_tried_ = false;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t other_rows_ = 0;
  std::vector<Slab> slabs_;  ///< which keep the same elements
};

}  // namespace nasvm::cg
