#include "kernels/cg/grid.hpp"

#include <stdexcept>

namespace nasvm::cg {
namespace {

/// The largest divisor of `tasks` that is not above its square root.
int columns_for(int tasks) {
  if (tasks < 1) throw std::invalid_argument("a process grid needs at least one task");
  int cols = 1;
  for (int candidate = 2; candidate <= tasks / candidate; ++candidate) {
    if (tasks % candidate == 0) cols = candidate;
  }
  return cols;
}

}  // namespace

Grid::Grid(std::int64_t order, int tasks) : order_(order), cols_(columns_for(tasks)), rows_(tasks / cols_) {}

Range Grid::row_block(int row) const { return {piece(rank_at(row, 0)).begin, piece(rank_at(row, cols_ - 1)).end}; }

IntervalSet Grid::column_block(int col, std::int64_t gap) const {
  std::vector<Range> pieces;
  pieces.reserve(static_cast<std::size_t>(rows_));
  for (int row = 0; row < rows_; ++row) pieces.push_back(piece(rank_at(row, col)));
  return IntervalSet(std::move(pieces), gap);
}

}  // namespace nasvm::cg
