#include "kernels/cg/tiled_slices.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

namespace nasvm::cg {
namespace {

/// Columns of a tile, so that all tiles have about as many.
std::int64_t even_tile_columns(std::int64_t columns, std::int64_t most) {
  const std::int64_t tiles = std::max<std::int64_t>(1, (columns + most - 1) / most);
  return std::max<std::int64_t>(1, (columns + tiles - 1) / tiles);
}

/// Converts tile by tile, column blocks outside: first only counting, then filling. A cursor for each row says how
/// far the row has been converted.
class Builder {
 public:
  Builder(const SparseBlock& from, const TileShape& shape, TiledSlices& to)
      : from_(from),
        to_(to),
        tile_rows_(shape.rows),
        lengths_(static_cast<std::size_t>(shape.rows)),
        order_(lengths_.size()) {
    assert(shape.most_columns <= 1 << offset_bits && shape.rows <= 1 << 16);
    to_.rows = from.rows();
    to_.columns = from.cols();
    to_.tile_columns = even_tile_columns(from.cols(), shape.most_columns);
  }

  void build() {
    rewind();
    std::int64_t elements = 0;
    for_each_tile([&](std::int64_t first_row, std::int64_t first_column) {
      elements += slice_rows * plan_tile(first_row, first_column);
    });
    to_.values.resize(static_cast<std::size_t>(elements));
    to_.offsets.resize(static_cast<std::size_t>(elements) / offsets_per_word);
    rewind();
    std::size_t slice = 0;
    for (const TiledSlices::Tile& tile : to_.tiles) {
      for (std::int64_t i = 0; i < tile.slices; ++i) fill_slice(tile, to_.slices[slice++]);
    }
  }

 private:
  void rewind() {
    cursor_.assign(from_.outerIndexPtr(), from_.outerIndexPtr() + from_.rows());
    filled_steps_ = 0;
  }

  template <typename Visit>
  void for_each_tile(Visit visit) const {
    for (std::int64_t column = 0; column < from_.cols(); column += to_.tile_columns) {
      for (std::int64_t row = 0; row < from_.rows(); row += tile_rows_) visit(row, column);
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
    const auto rows = static_cast<std::size_t>(std::min(tile_rows_, from_.rows() - first_row));
    for (std::size_t i = 0; i < rows; ++i) {
      lengths_[i] = pass_over(first_row + static_cast<std::int64_t>(i), first_column + to_.tile_columns);
    }
    const auto longest_first = std::span(order_).first(rows);
    std::iota(longest_first.begin(), longest_first.end(), std::uint16_t{0});
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return lengths_[a] > lengths_[b]; });
    TiledSlices::Tile tile{first_row, first_column, 0};
    std::int64_t steps = 0;
    for (std::size_t begin = 0; begin < rows && lengths_[longest_first[begin]] > 0; begin += slice_rows) {
      to_.slices.push_back(make_slice(longest_first.subspan(begin), lengths_[longest_first[begin]]));
      steps += lengths_[longest_first[begin]];
      ++tile.slices;
    }
    if (tile.slices > 0) to_.tiles.push_back(tile);
    return steps;
  }

  /// A slice of the first rows that are left. Where fewer than eight are, its first row stands in without elements.
  static TiledSlices::Slice make_slice(std::span<const std::uint16_t> rows, std::int32_t steps) {
    TiledSlices::Slice slice;
    slice.steps = static_cast<std::uint16_t>(steps);
    for (std::size_t lane = 0; lane < slice_rows; ++lane) slice.rows[lane] = rows[lane < rows.size() ? lane : 0];
    return slice;
  }

  void fill_slice(const TiledSlices::Tile& tile, const TiledSlices::Slice& slice) {
    double* const values = to_.values.data() + filled_steps_ * slice_rows;
    std::uint64_t* const offsets = to_.offsets.data() + filled_steps_ * words_per_step;
    std::fill_n(values, slice.steps * slice_rows, 0.0);
    std::fill_n(offsets, slice.steps * words_per_step, std::uint64_t{0});
    for (int lane = 0; lane < slice_rows; ++lane) {
      const std::int64_t row = tile.first_row + slice.rows[lane];
      const std::int32_t begin = cursor_[static_cast<std::size_t>(row)];
      const std::int32_t count = pass_over(row, tile.first_column + to_.tile_columns);
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
  TiledSlices& to_;
  std::int64_t tile_rows_;
  std::vector<std::int32_t> lengths_;  ///< of the rows of the tile that is planned
  std::vector<std::uint16_t> order_;
  std::vector<std::int32_t> cursor_;
  std::int64_t filled_steps_ = 0;
};

}  // namespace

TiledSlices tile_and_slice(const SparseBlock& matrix, const TileShape& shape) {
  TiledSlices tiled;
  Builder(matrix, shape, tiled).build();
  return tiled;
}

}  // namespace nasvm::cg
