#pragma once
/// \file
/// The matrix spread over all tasks, as the solver sees it: every task has one piece of the input and of the result
/// of a product. The pieces lie inside the buffers that are communicated, so nothing is copied.

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "kernels/cg/exchange.hpp"
#include "kernels/cg/grid.hpp"
#include "kernels/cg/matrix.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {

/// This task's share of a distributed vector, in somebody else's memory.
using Piece = Eigen::Map<Eigen::VectorXd>;

class DistributedMatrix {
 public:
  /// Assembles this task's block; no communication. `comm` must outlive it.
  DistributedMatrix(Comm& comm, const Parameters& problem, int threads);

  [[nodiscard]] Eigen::Index piece_size() const { return static_cast<Eigen::Index>(piece_.size()); }
  /// The indices that this task's piece has in the whole vector.
  [[nodiscard]] Range piece() const { return piece_; }
  [[nodiscard]] const Matrix& block() const { return block_; }

  /// Where the input of the next product is written; keeps its value in a product.
  [[nodiscard]] Piece input() { return map(exchange_.own_of_columns(columns_)); }
  /// The result of the last product.
  [[nodiscard]] Piece result() { return map(exchange_.own_of_rows(rows_)); }

  /// result = A input. Collective.
  void multiply();

 private:
  static Piece map(std::span<double> piece) { return {piece.data(), static_cast<Eigen::Index>(piece.size())}; }
  DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid);

  Range piece_;
  Matrix block_;
  Exchange exchange_;
  std::vector<double> columns_;  ///< the input, over the columns of the block
  std::vector<double> rows_;     ///< the partial result, over the rows of the block
};

}  // namespace nasvm::cg
