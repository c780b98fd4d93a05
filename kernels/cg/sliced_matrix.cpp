#include "kernels/cg/sliced_matrix.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <experimental/simd>
#include <numeric>

namespace nasvm::cg {
namespace {

constexpr int offset_bits = 16;
constexpr int offsets_per_word = 64 / offset_bits;
constexpr int words_per_step = SlicedMatrix::slice_rows / offsets_per_word;
static_assert(SlicedMatrix::most_tile_columns <= 1 << offset_bits);

/// Columns of a tile, so that all tiles have about as many.
std::int64_t even_tile_columns(std::int64_t columns) {
  const std::int64_t tiles = std::max<std::int64_t>(
      1, (columns + SlicedMatrix::most_tile_columns - 1) / SlicedMatrix::most_tile_columns);
  return std::max<std::int64_t>(1, (columns + tiles - 1) / tiles);
}

}  // namespace

void multiply_plainly(const SparseBlock& matrix, std::span<const double> x, std::span<double> y) {
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    for (std::int32_t k = matrix.outerIndexPtr()[row]; k < matrix.outerIndexPtr()[row + 1]; ++k) {
      sum += matrix.valuePtr()[k] * x[static_cast<std::size_t>(matrix.innerIndexPtr()[k])];
    }
    y[static_cast<std::size_t>(row)] = sum;
  }
}

/// Converts tile by tile, column blocks outside: first only counting, then filling. A cursor for each row says how
/// far the row has been converted.
class SlicedMatrix::Builder {
 public:
  Builder(const SparseBlock& from, SlicedMatrix& to)
      : from_(from), to_(to), tile_columns_(even_tile_columns(from.cols())) {}

  void build() {
    rewind();
    std::int64_t elements = 0;
    for_each_tile([&](std::int64_t first_row, std::int64_t first_column) {
      elements += slice_rows * plan_tile(first_row, first_column);
    });
    to_.values_.resize(static_cast<std::size_t>(elements));
    to_.offsets_.resize(static_cast<std::size_t>(elements) / offsets_per_word);
    rewind();
    std::size_t slice = 0;
    for (const Tile& tile : to_.tiles_) {
      for (std::int64_t i = 0; i < tile.slices; ++i) fill_slice(tile, to_.slices_[slice++]);
    }
  }

 private:
  void rewind() {
    cursor_.assign(from_.outerIndexPtr(), from_.outerIndexPtr() + from_.rows());
    filled_steps_ = 0;
  }

  template <typename Visit>
  void for_each_tile(Visit visit) const {
    for (std::int64_t column = 0; column < from_.cols(); column += tile_columns_) {
      for (std::int64_t row = 0; row < from_.rows(); row += tile_rows) visit(row, column);
    }
  }

  /// Moves the row's cursor behind its elements in the columns before `end`. Returns how many there were.
  std::int32_t pass_over(std::int64_t row, std::int64_t end) {
    std::int32_t& cursor = cursor_[static_cast<std::size_t>(row)];
    const std::int32_t begin = cursor;
    const std::int32_t row_end = from_.outerIndexPtr()[row + 1];
    while (cursor < row_end && from_.innerIndexPtr()[cursor] < end) ++cursor;
    return cursor - begin;
  }

  /// Decides which rows of a tile form slices. Returns the steps of all of them.
  std::int64_t plan_tile(std::int64_t first_row, std::int64_t first_column) {
    const auto rows = static_cast<std::size_t>(std::min(tile_rows, from_.rows() - first_row));
    std::array<std::int32_t, tile_rows> lengths{};
    std::array<std::uint16_t, tile_rows> order{};
    for (std::size_t i = 0; i < rows; ++i) {
      lengths[i] = pass_over(first_row + static_cast<std::int64_t>(i), first_column + tile_columns_);
    }
    const auto longest_first = std::span(order).first(rows);
    std::iota(longest_first.begin(), longest_first.end(), std::uint16_t{0});
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return lengths[a] > lengths[b]; });
    Tile tile{first_row, first_column, 0};
    std::int64_t steps = 0;
    for (std::size_t begin = 0; begin < rows && lengths[longest_first[begin]] > 0; begin += slice_rows) {
      to_.slices_.push_back(make_slice(longest_first.subspan(begin), lengths[longest_first[begin]]));
      steps += lengths[longest_first[begin]];
      ++tile.slices;
    }
    if (tile.slices > 0) to_.tiles_.push_back(tile);
    return steps;
  }

  /// A slice of the first rows that are left. Where fewer than eight are, its first row stands in without elements.
  static Slice make_slice(std::span<const std::uint16_t> rows, std::int32_t steps) {
    Slice slice;
    slice.steps = static_cast<std::uint16_t>(steps);
    for (std::size_t lane = 0; lane < slice_rows; ++lane) slice.rows[lane] = rows[lane < rows.size() ? lane : 0];
    return slice;
  }

  void fill_slice(const Tile& tile, const Slice& slice) {
    double* const values = to_.values_.data() + filled_steps_ * slice_rows;
    std::uint64_t* const offsets = to_.offsets_.data() + filled_steps_ * words_per_step;
    std::fill_n(values, slice.steps * slice_rows, 0.0);
    std::fill_n(offsets, slice.steps * words_per_step, std::uint64_t{0});
    for (int lane = 0; lane < slice_rows; ++lane) {
      const std::int64_t row = tile.first_row + slice.rows[lane];
      const std::int32_t begin = cursor_[static_cast<std::size_t>(row)];
      const std::int32_t count = pass_over(row, tile.first_column + tile_columns_);
      for (std::int32_t step = 0; step < count; ++step) {
        const auto offset = static_cast<std::uint64_t>(from_.innerIndexPtr()[begin + step] - tile.first_column);
        const int shift = offset_bits * (lane % offsets_per_word);
        values[step * slice_rows + lane] = from_.valuePtr()[begin + step];
        offsets[step * words_per_step + lane / offsets_per_word] |= offset << shift;
      }
    }
    filled_steps_ += slice.steps;
  }

  const SparseBlock& from_;
  SlicedMatrix& to_;
  std::vector<std::int32_t> cursor_;
  std::int64_t tile_columns_;
  std::int64_t filled_steps_ = 0;
};

SlicedMatrix::SlicedMatrix(const SparseBlock& matrix) : rows_(matrix.rows()), columns_(matrix.cols()) {
  Builder(matrix, *this).build();
}

namespace {

using Reals = std::experimental::native_simd<double>;
constexpr std::ptrdiff_t slice_lanes = SlicedMatrix::slice_rows;
static_assert(slice_lanes % Reals::size() == 0);

/// One number for each row of a slice, in as many registers as that takes.
using Lanes = std::array<Reals, slice_lanes / Reals::size()>;

/// sums += values * x[offsets] for one step. The input is loaded number by number, because hardware gathers take
/// twice as long; and the offsets four at a time, because loads are what limits this loop.
[[gnu::always_inline]] inline void add_step(Lanes& sums, const double* values, const std::uint64_t* offsets,
                                            const double* x) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << offset_bits) - 1;
  for (std::size_t part = 0; part < sums.size(); ++part) {
    const std::size_t first = part * Reals::size();
    const Reals inputs([&](auto number) {
      const std::size_t lane = first + number;
      return x[offsets[lane / offsets_per_word] >> (offset_bits * (lane % offsets_per_word)) & mask];
    });
    sums[part] += Reals(values + first, std::experimental::element_aligned) * inputs;
  }
}

/// Asks for the matrix ahead of its use, because it streams from memory and is needed once; asking past its end does
/// no harm.
[[gnu::always_inline]] inline void prefetch(int steps, const double* values, const std::uint64_t* offsets) {
  constexpr std::ptrdiff_t steps_ahead = 128;  // 8 KB of values, 2 KB of offsets
  constexpr int for_reading = 0;
  constexpr int used_once = 0;
  for (std::ptrdiff_t step = steps_ahead; step < steps_ahead + steps; ++step) {
    __builtin_prefetch(values + step * slice_lanes, for_reading, used_once);
  }
  __builtin_prefetch(offsets + steps_ahead * words_per_step, for_reading, used_once);
}

/// Adds the products of some steps to the sums, and moves both pointers behind them.
[[gnu::always_inline]] inline void add_steps(int steps, Lanes& sums, const double*& values,
                                             const std::uint64_t*& offsets, const double* x) {
  prefetch(steps, values, offsets);
  for (int step = 0; step < steps; ++step) {
    add_step(sums, values, offsets, x);
    values += slice_lanes;
    offsets += words_per_step;
  }
}

/// The sums of a slice's rows. Moves both pointers behind the slice.
[[gnu::always_inline]] inline Lanes multiply_slice(int steps, const double*& values, const std::uint64_t*& offsets,
                                                   const double* x) {
  constexpr int unrolled_steps = 4;  // as many as have their offsets in one cache line
  Lanes sums{};
  for (; steps >= unrolled_steps; steps -= unrolled_steps) add_steps(unrolled_steps, sums, values, offsets, x);
  for (; steps > 0; --steps) add_steps(1, sums, values, offsets, x);
  return sums;
}

}  // namespace

void SlicedMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  assert(static_cast<std::int64_t>(x.size()) == columns_ && static_cast<std::int64_t>(y.size()) == rows_);
  std::fill(y.begin(), y.end(), 0.0);
  const Slice* slice = slices_.data();
  const double* values = values_.data();
  const std::uint64_t* offsets = offsets_.data();
  for (const Tile& tile : tiles_) {
    const double* const tile_x = x.data() + tile.first_column;
    double* const tile_y = y.data() + tile.first_row;
    for (const Slice* const end = slice + tile.slices; slice != end; ++slice) {
      const Lanes lanes = multiply_slice(slice->steps, values, offsets, tile_x);
      double sums[slice_lanes];
      for (std::size_t part = 0; part < lanes.size(); ++part) {
        lanes[part].copy_to(sums + part * Reals::size(), std::experimental::element_aligned);
      }
      for (std::ptrdiff_t lane = 0; lane < slice_lanes; ++lane) tile_y[slice->rows[lane]] += sums[lane];
    }
  }
}

}  // namespace nasvm::cg
