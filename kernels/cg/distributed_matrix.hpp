#pragma once
/// \file
/// The matrix spread over all tasks, as the solver sees it.
///
/// Every element of a vector has one owner; a task's own elements are its *piece*. A task's *span* is what its block
/// of the matrix is multiplied with: its own piece and those of the other tasks of its grid column (of all tasks,
/// when the grid has one column), in the numbering of Exchange::columns(). A product takes a vector over the span and
/// gives the task's piece of the result, in its place in another vector over the span; `share` completes that one.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cg/exchange.hpp"
#include "kernels/cg/grid.hpp"
#include "kernels/cg/matrix.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {

class DistributedMatrix {
 public:
  /// Assembles this task's block. `comm` must outlive it. Collective. `halves_common`: instead of what
  /// halves_common_block says (for tests, with two tasks).
  DistributedMatrix(Comm& comm, const Parameters& problem, int threads, std::optional<bool> halves_common = {});

  /// Numbers in a vector over the span, those between the pieces included.
  [[nodiscard]] std::int64_t span_size() const { return block_.columns(); }
  /// Where the piece lies in a vector over the span.
  [[nodiscard]] Range own() const { return exchange_.own_of_columns(); }
  [[nodiscard]] const Matrix& block() const { return block_; }

  /// How the tasks exchange vectors and sums.
  [[nodiscard]] Prefer preference() const { return exchange_.preference(); }

  /// Products so far.
  [[nodiscard]] std::int64_t products() const { return products_; }

  /// This task's piece of A `input` into its place in `output`, both over the span. Collective over the grid row.
  void multiply(std::span<const double> input, std::span<double> output);

  /// Completes a vector of which every task has its own piece; between the pieces is 0 afterwards. Returns the sums
  /// of `numbers` over all tasks. Collective.
  Sums share(std::span<double> vector, const Sums& numbers) { return exchange_.expand(vector, numbers); }

  /// The sum over all tasks of a number that is already summed over each task's span. Collective.
  [[nodiscard]] double sum_of_spans(double number) {
    exchange_.sum_over_columns(std::span(&number, 1));
    return number;
  }

  /// Zeros between the pieces of a vector over the span.
  void clear_gaps(std::span<double> vector) const { exchange_.clear_gaps(vector); }

 private:
  DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid, bool halves_common);

  Exchange exchange_;
  Matrix block_;
  std::int64_t products_ = 0;
  std::vector<double> rows_;  ///< the partial result, over the rows of the block, if there is anything to be summed
  bool halves_common_;
  std::vector<double> for_other_;  ///< what this task forms of the other's result, if they halve their common block
};

}  // namespace nasvm::cg
