#pragma once
/// \file
/// The communication of kernel CG: collect a vector in a grid column, sum a product in a grid row, and sum a few
/// numbers over all tasks on the way.
///
/// Per call, task (i, j) sends
///   expand: its piece of the vector with its two numbers to the rows-1 other tasks of its column, and the column's
///           sums of those numbers to the cols-1 other tasks of its row;
///   fold:   to each of the cols-1 other tasks of its row that task's piece of the partial result.
/// Summed over tasks: 8 n (rows - 1) + 16 NP (rows + cols - 2) and 8 n (cols - 1) bytes. Pieces of vectors are
/// received in place; sums are formed in a fixed order, so that all tasks and all runs get the same bits.
/// Source: White et al., section 4.3; the pieces are such that nothing is transposed.

#include <array>
#include <span>
#include <vector>

#include "kernels/cg/grid.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

/// Two numbers to be summed over all tasks, or their sums.
using Sums = std::array<double, 2>;

class Exchange {
 public:
  /// `comm` must outlive it and have as many tasks as the grid.
  Exchange(Comm& comm, const Grid& grid);

  /// The numbering of a vector over the columns of this task's block: behind each piece is room for two numbers.
  [[nodiscard]] const IntervalSet& columns() const { return columns_; }

  /// Completes a vector over the columns of this task's block, in which its own piece is filled in. Returns the sums
  /// of `own` over all tasks. Blocks until the other pieces have come. Collective.
  Sums expand(std::span<double> columns, const Sums& own);

  /// Sums the partial results over the rows of this task's block: its own piece is complete afterwards, the rest
  /// is as before. Blocks until all contributions have come. Collective over the grid row.
  void fold(std::span<double> rows);

  /// This task's own piece in a vector over the columns, and in one over the rows, of its block.
  [[nodiscard]] Range own_of_columns() const { return {own_column_.begin, own_column_.begin + own_column_.size}; }
  [[nodiscard]] Range own_of_rows() const { return {own_row_.begin, own_row_.begin + own_row_.size}; }

 private:
  /// A task of the grid column or row, and where its piece lies in the vector over the block.
  struct Part {
    Rank rank = 0;
    std::int64_t begin = 0;
    std::int64_t size = 0;
    [[nodiscard]] std::span<double> in(std::span<double> vector) const {
      return vector.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    }
    /// The piece with the numbers behind it.
    [[nodiscard]] std::span<double> message_in(std::span<double> vector) const {
      return vector.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size) + Sums{}.size());
    }
  };

  Sums sum_of_row(const Sums& own);
  void start_receive(std::span<double> data, Rank from, Tag tag);
  void start_send(std::span<const double> data, Rank to, Tag tag);
  /// Waits for the receives in the order of their start; calls `arrived(i)` after each. Then waits for the sends.
  template <typename Arrived>
  void finish(Arrived arrived);
  [[nodiscard]] std::span<double> arrival(std::size_t i);

  Comm& comm_;
  IntervalSet columns_;
  Part own_column_;
  Part own_row_;
  std::vector<Part> column_peers_;
  std::vector<Part> row_peers_;
  std::vector<double> arrivals_;   ///< contributions to this task's piece of a result, by row peer
  std::vector<Sums> sums_by_col_;  ///< of the tasks of the grid row
  std::vector<Request> receives_;
  std::vector<Request> sends_;
};

}  // namespace nasvm::cg
