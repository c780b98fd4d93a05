#pragma once
/// \file
/// One task's block of the sparse matrix and its product with a vector, with OpenMP threads.
///
/// The block is kept as slabs of rows, one for each thread (more when a slab would have more than 2^30 elements, so
/// that 32-bit indices always do). Eigen assembles and holds a slab; then it is converted to the formats of the timed
/// product (slab.hpp), which is checked against Eigen's copy before that is given up. A slab that is too large for
/// the caches makes use of symmetry. A thread makes and multiplies its own slabs, so it touches their memory first.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/cg/intervals.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/slab.hpp"
#include "kernels/common/tuning_choice.hpp"

namespace nasvm::cg {

class Matrix {
 public:
  /// `halves_common`: rows and columns are those of one of two tasks, which keep half of their common block each.
  /// `before_trials` is called when all slabs are assembled, and their forms are still to be chosen: a barrier, where
  /// there are other tasks.
  Matrix(
      const Parameters& problem, Range rows, const IntervalSet& columns, int threads, bool halves_common = false,
      const std::function<void()>& before_trials = [] {});

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] int threads() const { return threads_; }
  /// Elements of the matrix, without those that the format adds.
  [[nodiscard]] std::int64_t nonzeros() const { return nonzeros_; }
  /// Of the first slab's form.
  [[nodiscard]] const TuningChoices& choices() const { return choices_; }

  /// y = A x; x has columns() elements, y has rows(); they must not overlap. `other`: as in Slab::multiply, for all
  /// slabs. Cost: SlicedMatrix::multiply, TwoSidedMatrix::add_products.
  void multiply(std::span<const double> x, std::span<double> y, std::span<double> other = {});

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  int threads_;
  std::int64_t nonzeros_ = 0;
  std::vector<Slab> slabs_;
  std::vector<std::vector<double>> others_;  ///< what the slabs but the first form for the other task
  TuningChoices choices_;
};

}  // namespace nasvm::cg
