#include "kernels/cg/matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

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

/// Whether both forms of a slab give the same product with a vector in which no two neighbours are alike.
bool agree(const SparseBlock& assembled, const SlicedMatrix& converted) {
  std::vector<double> x(static_cast<std::size_t>(assembled.cols()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + static_cast<double>(i % 1021) / 1021;
  std::vector<double> expected(static_cast<std::size_t>(assembled.rows()));
  std::vector<double> found(expected.size());
  multiply_plainly(assembled, x, expected);
  converted.multiply(x, found);
  // A row's elements are positive but for its largest, the diagonal's: with a few hundred of them, rounding stays
  // far below this.
  constexpr double tolerance_of_sums = 1e-10;
  return std::equal(expected.begin(), expected.end(), found.begin(), [](double a, double b) {
    return std::abs(a - b) <= tolerance_of_sums * (1 + std::abs(a));
  });
}

/// Assembles the rows, converts and checks them. Returns the number of elements with the converted form.
std::pair<std::int64_t, SlicedMatrix> make_slab(const Parameters& problem, Range rows, const IntervalSet& columns) {
  const SparseBlock assembled = assemble(problem, rows, columns);
  SlicedMatrix converted(assembled);
  if (!agree(assembled, converted)) throw std::logic_error("cg: the converted matrix is not the assembled one");
  return {assembled.nonZeros(), std::move(converted)};
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
      auto [elements, slab] = make_slab(problem, share(rows, slabs, s), columns);
      slabs_[static_cast<std::size_t>(s)] = std::move(slab);
#pragma omp atomic
      nonzeros_ += elements;
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  assert(static_cast<std::int64_t>(x.size()) == columns_ && static_cast<std::int64_t>(y.size()) == rows_);
  const int slabs = static_cast<int>(slabs_.size());
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1)
  for (int s = 0; s < slabs; ++s) {
    const Range part = share(rows_, slabs, s);
    const auto begin = static_cast<std::size_t>(part.begin);
    slabs_[static_cast<std::size_t>(s)].multiply(x, y.subspan(begin, static_cast<std::size_t>(part.size())));
  }
}

}  // namespace nasvm::cg
