#include "kernels/cg/two_sided_matrix.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <experimental/simd>

namespace nasvm::cg {
namespace {

namespace stdx = std::experimental;

/// x(j) and what is to be added to y'(j).
using Pair = stdx::fixed_size_simd<double, 2>;

/// The pairs of a tile's columns, as numbers.
class ColumnPairs {
 public:
  /// There is room for two numbers of each.
  explicit ColumnPairs(std::span<double> numbers) : numbers_(numbers) {}

  /// Takes over the input of some columns; nothing has been added to their results yet.
  void begin(std::span<const double> x) const {
    for (std::size_t j = 0; j < x.size(); ++j) {
      numbers_[2 * j] = x[j];
      numbers_[2 * j + 1] = 0;
    }
  }
  /// Adds what has come together to the result of the same columns.
  void end(std::span<double> y) const {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += numbers_[2 * j + 1];
  }
  [[nodiscard]] double* at(std::uint64_t column) const { return numbers_.data() + 2 * column; }

 private:
  std::span<double> numbers_;
};

/// One pair for each row of a slice.
using RowPairs = std::array<Pair, slice_rows>;

/// The products of a step's elements with the input of their columns are added to `sums`, in first place, and those
/// with the input of their rows, in the second place of `inputs`, to the columns' pairs.
[[gnu::always_inline]] inline void add_step(RowPairs& sums, const RowPairs& inputs, const double* values,
                                            const std::uint64_t* offsets, const ColumnPairs columns) {
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < slice_rows; ++lane) {
    double* const column = columns.at(offset_in(offsets, lane));
    const Pair element = values[lane];
    const Pair pair = Pair(column, stdx::vector_aligned) + element * inputs[lane];
    pair.copy_to(column, stdx::vector_aligned);
    sums[lane] += element * pair;
  }
}

/// Does a slice, with input and result of the tile's rows. Moves the cursor behind it.
template <CacheHint hint>
[[gnu::always_inline]] inline void multiply_slice(SliceCursor& cursor, const ColumnPairs columns, const double* x,
                                                  double* y) {
  const auto& rows = cursor.slice->rows;
  RowPairs inputs;
  for (std::size_t lane = 0; lane < slice_rows; ++lane) {
    inputs[lane] = Pair([&](auto place) { return place == 0 ? 0.0 : x[rows[lane]]; });
  }
  RowPairs sums{};
  for_each_step<hint>(
      cursor, [&](const double* values, const std::uint64_t* offsets)
                  __attribute__((always_inline)) { add_step(sums, inputs, values, offsets, columns); });
  for (std::size_t lane = 0; lane < slice_rows; ++lane) y[rows[lane]] += sums[lane][0];
}

}  // namespace

template <CacheHint hint>
void TwoSidedMatrix::add_products_with(const Vectors& vectors) {
  const auto& [x_of_columns, x_of_rows, y_of_rows, y_of_columns] = vectors;
  assert(static_cast<std::int64_t>(x_of_columns.size()) == columns() && y_of_columns.size() == x_of_columns.size());
  assert(static_cast<std::int64_t>(x_of_rows.size()) == rows() && y_of_rows.size() == x_of_rows.size());
  const ColumnPairs pairs(pairs_);
  SliceCursor cursor(matrix_);
  for (auto part = matrix_.tiles.begin(); part != matrix_.tiles.end();) {
    const std::int64_t column = part->first_column;
    const auto first = static_cast<std::size_t>(column);
    const auto count = static_cast<std::size_t>(std::min(matrix_.tile_columns, columns() - column));
    pairs.begin(x_of_columns.subspan(first, count));
    for (; part != matrix_.tiles.end() && part->first_column == column; ++part) {
      for (std::int64_t i = 0; i < part->slices; ++i) {
        multiply_slice<hint>(cursor, pairs, x_of_rows.data() + part->first_row, y_of_rows.data() + part->first_row);
      }
    }
    pairs.end(y_of_columns.subspan(first, count));
  }
}

void TwoSidedMatrix::add_products(const Vectors& vectors, CacheHint hint) {
  with_hint(hint,
            [&]<CacheHint chosen>(std::integral_constant<CacheHint, chosen>) { add_products_with<chosen>(vectors); });
}

}  // namespace nasvm::cg
