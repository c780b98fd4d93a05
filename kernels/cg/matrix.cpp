#include "kernels/cg/matrix.hpp"

#include <algorithm>
#include <cassert>
#include <exception>

#include "kernels/cg/assembly.hpp"

namespace nasvm::cg {
namespace {

/// Far enough below 2^31 that chance cannot push a slab of this expected size over it.
constexpr double slab_limit = 0x1p30;

/// Slabs for a block: a multiple of the threads, none of them larger than 32-bit indices reach.
int slab_count(const Parameters& problem, Range rows, const IntervalSet& columns, int threads) {
  const double vector_entries = problem.nonzer + 1;
  const double expected = vector_entries * vector_entries * static_cast<double>(rows.size()) *
                          static_cast<double>(columns.size()) / static_cast<double>(problem.order);
  return threads * (1 + static_cast<int>(expected / (slab_limit * threads)));
}

/// Sum of values[k] * x[columns[k]] over a row. Eight independent sums hide the latency of the additions; the matrix
/// streams from memory, so it is asked for ahead of its use; asking past its end does no harm.
double row_product(const double* values, const std::int32_t* columns, std::int32_t count, const double* x) {
  constexpr std::int32_t lanes = 8;
  constexpr std::int32_t ahead = 512;  // elements: 4 KB of values, 2 KB of indices
  double sums[lanes] = {};
  std::int32_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    __builtin_prefetch(values + k + ahead);
    __builtin_prefetch(columns + k + ahead);
    for (std::int32_t lane = 0; lane < lanes; ++lane) sums[lane] += values[k + lane] * x[columns[k + lane]];
  }
  for (; k < count; ++k) sums[0] += values[k] * x[columns[k]];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void multiply_slab(const SparseBlock& slab, const double* x, double* y) {
  const std::int32_t* const outer = slab.outerIndexPtr();
  for (Eigen::Index row = 0; row < slab.rows(); ++row) {
    y[row] =
        row_product(slab.valuePtr() + outer[row], slab.innerIndexPtr() + outer[row], outer[row + 1] - outer[row], x);
  }
}

}  // namespace

Matrix::Matrix(const Parameters& problem, Range rows, const IntervalSet& columns, int threads)
    : rows_(rows.size()),
      columns_(columns.size()),
      threads_(std::max(threads, 1)),
      slabs_(static_cast<std::size_t>(slab_count(problem, rows, columns, threads_))) {
  const int slabs = static_cast<int>(slabs_.size());
  std::exception_ptr failure;  // an exception must not leave a parallel loop
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int s = 0; s < slabs; ++s) {
    try {
      const Range part = share(rows.size(), slabs, s);
      SparseBlock slab = assemble(problem, {rows.begin + part.begin, rows.begin + part.end}, columns);
      slabs_[static_cast<std::size_t>(s)].swap(slab);  // Eigen 3.4 would copy in an assignment
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::int64_t Matrix::nonzeros() const {
  std::int64_t sum = 0;
  for (const SparseBlock& slab : slabs_) sum += slab.nonZeros();
  return sum;
}

void Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  assert(static_cast<std::int64_t>(x.size()) == columns_ && static_cast<std::int64_t>(y.size()) == rows_);
  const int slabs = static_cast<int>(slabs_.size());
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1)
  for (int s = 0; s < slabs; ++s) {
    multiply_slab(slabs_[static_cast<std::size_t>(s)], x.data(), y.data() + share(rows_, slabs, s).begin);
  }
}

}  // namespace nasvm::cg
