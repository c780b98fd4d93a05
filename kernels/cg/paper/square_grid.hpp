#pragma once
/// \file
/// The square of q x q tasks of CG's variant `paper`: which task has which piece of the vectors and which block of
/// the matrix.
///
/// A vector is cut into q pieces of (nearly) equal length. Every task of a row of the square has a copy of the row's
/// piece, and the block of the matrix whose rows are its row's piece and whose columns are its column's. Ranks run
/// down the columns, as in the paper's figures: of nine tasks, 2 lacks the piece of the first row and 6 that of the
/// third. Tasks that the largest square leaves over have no place in it.
/// Source: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks, section 4.3.

#include <cstdint>

#include "kernels/common/partition.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

class SquareGrid {
 public:
  /// The largest square of at most `tasks` tasks, of which there is one at least; vectors of `order` elements.
  SquareGrid(std::int64_t order, int tasks);

  /// q.
  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] int tasks() const { return side_ * side_; }
  [[nodiscard]] bool contains(Rank rank) const { return rank < tasks(); }
  [[nodiscard]] int row_of(Rank rank) const { return rank % side_; }
  [[nodiscard]] int col_of(Rank rank) const { return rank / side_; }
  [[nodiscard]] Rank rank_at(int row, int col) const { return col * side_ + row; }
  /// The task at the mirrored place, which has the piece that this one multiplies with.
  [[nodiscard]] Rank mirror_of(Rank rank) const { return rank_at(col_of(rank), row_of(rank)); }

  /// The indices of every vector that belong to a row of the square.
  [[nodiscard]] Range piece(int row) const { return share(order_, side_, row); }

 private:
  std::int64_t order_;
  int side_;
};

}  // namespace nasvm::cg
