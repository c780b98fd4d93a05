#pragma once
/// \file
/// The process grid of CG: which task owns which piece of every vector and which block of the matrix.
///
/// NP tasks form a grid of rows x cols = NP, as square as NP allows, rows >= cols; a prime NP is NP x 1. A vector is
/// cut into NP pieces of (nearly) equal length, piece r on rank r, ranks numbered along the grid's rows. Task (i, j)
/// holds the block of the matrix whose rows are the pieces of grid row i (one interval) and whose columns are the
/// pieces of grid column j (`rows` intervals). So the input of a product is collected inside a grid column and its
/// result summed inside a grid row, and it comes out distributed as it went in: nothing is ever transposed.
/// Sources: White et al., section 4.3 (partition and row sum); docs/decisions/cg-grid.md (why this numbering).

#include <cstdint>

#include "kernels/cg/intervals.hpp"
#include "kernels/common/partition.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

class Grid {
 public:
  /// `order` elements in a vector, `tasks` >= 1.
  Grid(std::int64_t order, int tasks);

  [[nodiscard]] int tasks() const { return rows_ * cols_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }
  [[nodiscard]] int row_of(Rank rank) const { return rank / cols_; }
  [[nodiscard]] int col_of(Rank rank) const { return rank % cols_; }
  [[nodiscard]] Rank rank_at(int row, int col) const { return row * cols_ + col; }

  /// The indices of every vector that `rank` owns.
  [[nodiscard]] Range piece(Rank rank) const { return share(order_, tasks(), rank); }
  /// The matrix rows of the tasks in grid row `row`.
  [[nodiscard]] Range row_block(int row) const;
  /// The matrix columns of the tasks in grid column `col`; interval i is the piece of task (i, col). `gap` as in
  /// IntervalSet.
  [[nodiscard]] IntervalSet column_block(int col, std::int64_t gap = 0) const;

 private:
  std::int64_t order_;
  int cols_;
  int rows_;
};

}  // namespace nasvm::cg
