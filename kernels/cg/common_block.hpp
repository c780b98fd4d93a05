#pragma once
/// \file
/// What two tasks have in common of the symmetric matrix: the block with the rows of one and the columns of the other
/// is the other's transposed. Each keeps half of it, uses every element twice (two_sided_matrix.hpp), and sends the
/// other what it has formed for it. Two tasks of one thread then read half of the bytes, as one does. Where that is
/// done, and what it costs: docs/decisions/cg-symmetric-squares.md.

#include <cstdint>

#include "kernels/cg/intervals.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/rounds.hpp"
#include "kernels/common/partition.hpp"

namespace nasvm::cg {

/// Do so many tasks keep half of their common block each? Two do whose matrix is larger than caches usually are, if a
/// message costs little beside that. It depends on nothing else, so that messages and bytes are the same everywhere.
[[nodiscard]] bool halves_common_block(const Parameters& problem, int tasks, Prefer prefer);

/// Where the common block lies in a slab of a task's rows, and which elements are kept there. The block is cut into
/// four quarters; one task keeps those on its diagonal, the other the other two. So each has half of every row, and
/// the rows of each thread have as many elements as those of the others.
struct CommonBlock {
  Range columns{};                ///< in the slab: the other task's piece; empty: there is none, or it is not halved
  std::int64_t first_own = 0;     ///< in the slab's columns: that with the number of the slab's first row
  std::int64_t rows_before = 0;   ///< of the task's piece, before the slab
  std::int64_t rows_of_half = 0;  ///< of the task's piece, in the upper quarters
  bool keeps_diagonal = false;    ///< quarters

  [[nodiscard]] bool is_halved() const { return columns.size() > 0; }
  /// Is that element of the slab, which lies in the block, kept here?
  [[nodiscard]] bool keeps(std::int64_t row, std::int64_t column) const {
    const bool is_upper = row + rows_before < rows_of_half;
    const bool is_left = column - columns.begin < share(columns.size(), 2, 0).size();
    return (is_upper == is_left) == keeps_diagonal;
  }
};

/// That of a slab with these rows of a task's piece. `columns` are the pieces of both tasks.
[[nodiscard]] CommonBlock common_block(Range rows, Range piece, const IntervalSet& columns);

}  // namespace nasvm::cg
