#include "kernels/cg/slab.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/common/trial.hpp"

namespace nasvm::cg {
namespace {

/// The elements of a part of a matrix for which `keep(row, column)`, both counted in the part.
template <typename Keep>
SparseBlock select(const SparseBlock& from, Range rows, Range columns, Keep keep) {
  SparseBlock selected(rows.size(), columns.size());
  const auto for_each_kept = [&](std::int64_t row, auto visit) {
    for (SparseBlock::InnerIterator element(from, rows.begin + row); element; ++element) {
      const std::int64_t column = element.col() - columns.begin;
      if (column >= 0 && column < columns.size() && keep(row, column)) visit(column, element.value());
    }
  };
  std::int32_t count = 0;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    for_each_kept(row, [&](std::int64_t, double) { ++count; });
    selected.outerIndexPtr()[row + 1] = count;
  }
  selected.resizeNonZeros(count);
  count = 0;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    for_each_kept(row, [&](std::int64_t column, double value) {
      selected.innerIndexPtr()[count] = static_cast<std::int32_t>(column);
      selected.valuePtr()[count++] = value;
    });
  }
  return selected;
}

constexpr auto all = [](std::int64_t, std::int64_t) { return true; };

SymmetricMatrix symmetric_part(const SparseBlock& assembled, const Square& square, const TileShape& tile) {
  const Range rows{square.first_row, square.first_row + square.size};
  const Range columns{square.first_column, square.first_column + square.size};
  std::vector<double> diagonal;
  for (std::int64_t i = 0; i < square.size; ++i) {
    diagonal.push_back(assembled.coeff(rows.begin + i, columns.begin + i));
  }
  const auto right_of_diagonal = [](std::int64_t row, std::int64_t column) { return column > row; };
  return {select(assembled, rows, columns, right_of_diagonal), diagonal, tile};
}

/// An input in which no two neighbours are alike.
std::vector<double> trial_input(std::int64_t size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + static_cast<double>(i % 1021) / 1021;
  return x;
}

/// Tiles of a product that keeps 8 bytes for each of their rows: 4 KB.
TileShape sliced_tile(std::int64_t columns) { return {columns, 512}; }
/// Tiles of a product that reads and writes 8 bytes for each of their rows, and has short slices: docs/decisions/
/// cg-symmetric-squares.md.
TileShape symmetric_tile(std::int64_t columns) { return {columns, 1024}; }

/// The matrix, which is no more where it was: Eigen's are copied where others are moved.
SparseBlock taken_from(SparseBlock& place) {
  SparseBlock matrix;
  matrix.swap(place);
  return matrix;
}

bool agree(const std::vector<double>& expected, const std::vector<double>& found) {
  // A row's elements are positive but for its largest, the diagonal's: with a few hundred of them, rounding stays
  // far below this.
  constexpr double tolerance_of_sums = 1e-10;
  return std::equal(expected.begin(), expected.end(), found.begin(),
                    [](double a, double b) { return std::abs(a - b) <= tolerance_of_sums * (1 + std::abs(a)); });
}

}  // namespace

Square largest_square(Range rows, const IntervalSet& columns) {
  Square largest;
  for (std::size_t i = 0; i < columns.intervals().size(); ++i) {
    const Range& interval = columns.intervals()[i];
    const std::int64_t begin = std::max(rows.begin, interval.begin);
    const std::int64_t size = std::min(rows.end, interval.end) - begin;
    if (size > largest.size) largest = {begin - rows.begin, columns.first(i) + begin - interval.begin, size};
  }
  return largest;
}

Slab::Slab(SparseBlock assembled, const Square& square, const CommonBlock& common, std::int64_t tile_columns)
    : nonzeros_(assembled.nonZeros()), place_(square), common_(common) {
  const std::vector<double> x = trial_input(assembled.cols());
  std::vector<double> expected(static_cast<std::size_t>(assembled.rows()));
  std::vector<double> expected_by_other;
  if (common_.is_halved()) {
    assembled.prune([&](Eigen::Index row, Eigen::Index column, double) {
      return !common_.columns.contains(column) || common_.keeps(row, column);
    });
    const SparseBlock kept = select(assembled, {0, assembled.rows()}, common_.columns, all);
    expected_by_other.resize(static_cast<std::size_t>(kept.cols()));
    multiply_plainly(SparseBlock(kept.transpose()), own_part(x, expected.size()), expected_by_other);
    common_elements_ = TwoSidedMatrix(kept, symmetric_tile(tile_columns));
  }
  multiply_plainly(assembled, x, expected);
  if (place_.size > 0) {
    square_ = symmetric_part(assembled, place_, symmetric_tile(tile_columns));
  }
  if (place_.size > 0 || common_.is_halved()) {
    assembled.prune([&](Eigen::Index row, Eigen::Index column, double) {
      return !place_.contains(row, column) && !common_.columns.contains(column);
    });
  }
  rest_ = SlicedMatrix(assembled, sliced_tile(tile_columns));
  std::vector<double> found(expected.size());
  std::vector<double> found_by_other(expected_by_other.size());
  multiply(x, found, found_by_other);
  if (!agree(expected, found) || !agree(expected_by_other, found_by_other))
    throw std::logic_error("cg: the converted matrix is not the assembled one");
}

std::span<const double> Slab::own_part(std::span<const double> x, std::size_t rows) const {
  return x.subspan(static_cast<std::size_t>(common_.first_own), rows);
}

void Slab::multiply(std::span<const double> x, std::span<double> y, std::span<double> other) {
  rest_.multiply(x, y, hint_);
  if (place_.size > 0) {
    const auto size = static_cast<std::size_t>(place_.size);
    square_.add_product(x.subspan(static_cast<std::size_t>(place_.first_column), size),
                        y.subspan(static_cast<std::size_t>(place_.first_row), size), hint_);
  }
  if (common_.is_halved()) {
    std::ranges::fill(other, 0.0);
    common_elements_.add_products({part_of(x, common_.columns), own_part(x, y.size()), y, other}, hint_);
  }
}

SlabForms::SlabForms(SparseBlock assembled, const Square& square, const CommonBlock& common,
                     std::int64_t tile_columns, Storage storage)
    : are_tried_(storage != Storage::full),
      rows_(assembled.rows()),
      columns_(assembled.cols()),
      other_rows_(common.columns.size()) {
  const bool halve = are_tried_ && square.size > 0;
  if (halve && storage == Storage::faster) slabs_.push_back(Slab(assembled, Square{}, common, tile_columns));
  slabs_.push_back(Slab(taken_from(assembled), halve ? square : Square{}, common, tile_columns));
}

Slab SlabForms::take() {
  struct Way {
    std::size_t slab;
    CacheHint hint;
    Trial trial{TrialClock::of_thread};
  };
  std::vector<Slab> slabs = std::move(slabs_);
  if (!are_tried_) return std::move(slabs.front());
  std::vector<Way> ways;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    for (const CacheHint hint : cache_hints) ways.push_back({i, hint});
  }
  constexpr int turns = 4;
  const std::vector<double> x = trial_input(columns_);
  std::vector<double> y(static_cast<std::size_t>(rows_));
  std::vector<double> other(static_cast<std::size_t>(other_rows_));
  for (int i = 0; i < turns; ++i) {
    for (Way& way : ways) {
      slabs[way.slab].set_hint(way.hint);
      way.trial.run([&] { slabs[way.slab].multiply(x, y, other); });
    }
  }
  const auto best = std::ranges::min_element(ways, {}, [](const Way& way) { return way.trial.shortest_s(); });
  slabs[best->slab].set_hint(best->hint);
  return std::move(slabs[best->slab]);
}

}  // namespace nasvm::cg
