#pragma once
/// \file
/// One task's block of the sparse matrix and its product with a vector, with OpenMP threads.
///
/// The block is kept as slabs of rows, one for each thread (more when a slab would have more than 2^30 elements, so
/// that 32-bit indices always do). A thread assembles and multiplies its own slabs, so it touches their memory first.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cg/assembly.hpp"
#include "kernels/cg/intervals.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {

class Matrix {
 public:
  Matrix(const Parameters& problem, Range rows, const IntervalSet& columns, int threads);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] std::int64_t nonzeros() const;

  /// y = A x; x has columns() elements, y has rows(). 2 operations and 12 bytes of matrix per stored element.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  int threads_;
  std::vector<SparseBlock> slabs_;
};

}  // namespace nasvm::cg
