#include "kernels/cg/sliced_matrix.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <experimental/simd>

namespace nasvm::cg {

void multiply_plainly(const SparseBlock& matrix, std::span<const double> x, std::span<double> y) {
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    for (std::int32_t k = matrix.outerIndexPtr()[row]; k < matrix.outerIndexPtr()[row + 1]; ++k) {
      sum += matrix.valuePtr()[k] * x[static_cast<std::size_t>(matrix.innerIndexPtr()[k])];
    }
    y[static_cast<std::size_t>(row)] = sum;
  }
}

namespace {

using Reals = std::experimental::native_simd<double>;
static_assert(slice_rows % Reals::size() == 0);

/// One number for each row of a slice, in as many registers as that takes.
using Lanes = std::array<Reals, slice_rows / Reals::size()>;

/// sums += values * x[offsets] for one step. The input is loaded number by number, because hardware gathers take
/// twice as long.
[[gnu::always_inline]] inline void add_step(Lanes& sums, const double* values, const std::uint64_t* offsets,
                                            const double* x) {
  for (std::size_t part = 0; part < sums.size(); ++part) {
    const std::size_t first = part * Reals::size();
    const Reals inputs([&](auto number) { return x[offset_in(offsets, first + number)]; });
    sums[part] += Reals(values + first, std::experimental::element_aligned) * inputs;
  }
}

/// Adds the products of a slice's rows to their places in the tile's result. Moves the cursor behind the slice.
template <CacheHint hint>
[[gnu::always_inline]] inline void multiply_slice(SliceCursor& cursor, const double* x, double* y) {
  const auto& rows = cursor.slice->rows;
  Lanes lanes{};
  for_each_step<hint>(
      cursor, [&](const double* values, const std::uint64_t* offsets)
                  __attribute__((always_inline)) { add_step(lanes, values, offsets, x); });
  double sums[slice_rows];
  for (std::size_t part = 0; part < lanes.size(); ++part) {
    lanes[part].copy_to(sums + part * Reals::size(), std::experimental::element_aligned);
  }
  for (std::size_t lane = 0; lane < slice_rows; ++lane) y[rows[lane]] += sums[lane];
}

}  // namespace

template <CacheHint hint>
void SlicedMatrix::multiply_with(std::span<const double> x, std::span<double> y) const {
  assert(static_cast<std::int64_t>(x.size()) == matrix_.columns);
  assert(static_cast<std::int64_t>(y.size()) == matrix_.rows);
  std::fill(y.begin(), y.end(), 0.0);
  SliceCursor cursor(matrix_);
  for (const TiledSlices::Tile& part : matrix_.tiles) {
    for (std::int64_t i = 0; i < part.slices; ++i) {
      multiply_slice<hint>(cursor, x.data() + part.first_column, y.data() + part.first_row);
    }
  }
}

void SlicedMatrix::multiply(std::span<const double> x, std::span<double> y, CacheHint hint) const {
  with_hint(hint, [&]<CacheHint chosen>(std::integral_constant<CacheHint, chosen>) { multiply_with<chosen>(x, y); });
}

}  // namespace nasvm::cg
