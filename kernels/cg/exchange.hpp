#pragma once
/// \file
/// The communication of a distributed product: collect its input in a grid column, sum its result in a grid row.
///
/// Per product, task (i, j) sends its piece of the input to the rows-1 other tasks of its column, and to each of the
/// cols-1 other tasks of its row that task's piece of the partial result. Summed over tasks: 8 n (rows + cols - 2)
/// bytes. Input pieces are received in place; contributions to a result are added in a fixed order, so that every
/// run gives the same bits. Source: White et al., section 4.3; the pieces are such that nothing is transposed.

#include <span>
#include <vector>

#include "kernels/cg/grid.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

class Exchange {
 public:
  /// `comm` must outlive it and have as many tasks as the grid.
  Exchange(Comm& comm, const Grid& grid);

  /// Completes a vector over the columns of this task's block, in which its own piece is filled in. Blocks until
  /// the other pieces have come. Collective over the grid column.
  void expand(std::span<double> columns);

  /// Sums the partial results over the rows of this task's block: its own piece is complete afterwards, the rest
  /// is as before. Blocks until all contributions have come. Collective over the grid row.
  void fold(std::span<double> rows);

  /// This task's own piece in the vectors that expand and fold work on.
  [[nodiscard]] std::span<double> own_of_columns(std::span<double> columns) const { return own_column_.in(columns); }
  [[nodiscard]] std::span<double> own_of_rows(std::span<double> rows) const { return own_row_.in(rows); }

 private:
  /// A task of the grid column or row, and where its piece lies in the vector over the block.
  struct Part {
    Rank rank = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
    [[nodiscard]] std::span<double> in(std::span<double> vector) const { return vector.subspan(begin, size); }
  };

  void start_receive(std::span<double> data, Rank from, Tag tag);
  void start_send(std::span<const double> data, Rank to, Tag tag);
  [[nodiscard]] std::span<double> arrival(std::size_t i);

  Comm& comm_;
  Part own_column_;
  Part own_row_;
  std::vector<Part> column_peers_;
  std::vector<Part> row_peers_;
  std::vector<double> arrivals_;  ///< contributions to this task's piece of a result, by row peer
  std::vector<Request> receives_;
  std::vector<Request> sends_;
};

}  // namespace nasvm::cg
