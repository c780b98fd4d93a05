#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/sliced_matrix.hpp"
#include "kernels/cg/symmetric_matrix.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

constexpr TileShape tile{1536, 1024};

using Elements = std::vector<Eigen::Triplet<double, std::int32_t>>;

/// A symmetric matrix, both as the tuned product wants it and with all elements.
struct Both {
  SymmetricMatrix symmetric;
  SparseBlock whole;
};

/// `upper` has elements right of the diagonal only; the diagonal is 1, 2, 3 ...
Both make_both(std::int32_t size, const Elements& upper) {
  SparseBlock right(size, size);
  right.setFromTriplets(upper.begin(), upper.end());
  std::vector<double> diagonal;
  Elements all = upper;
  for (const auto& element : upper) all.emplace_back(element.col(), element.row(), element.value());
  for (std::int32_t i = 0; i < size; ++i) {
    diagonal.push_back(1.0 + i);
    all.emplace_back(i, i, 1.0 + i);
  }
  SparseBlock whole(size, size);
  whole.setFromTriplets(all.begin(), all.end());
  return {SymmetricMatrix(right, diagonal, tile), whole};
}

/// Elements in a few hundredths of the places, also in the same columns of rows that are neighbours.
Elements scattered(std::int32_t size) {
  Elements elements;
  for (std::int32_t row = 0; row < size; ++row) {
    const std::int32_t stride = 29 + row / 8 % 13;
    for (std::int32_t column = row + 1 + row % 3; column < size; column += stride) {
      elements.emplace_back(row, column, std::sin(row + 0.1 * column));
    }
  }
  return elements;
}

/// The largest difference between the tuned product, added to something, and the plain one, relative to the largest
/// sum of absolute values in a row.
double worst_difference(Both matrix) {
  const auto size = static_cast<std::size_t>(matrix.whole.rows());
  std::vector<double> x(size), plain(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::cos(static_cast<double>(i) + 0.5);
  multiply_plainly(matrix.whole, x, plain);
  std::vector<double> tuned = x;
  matrix.symmetric.add_product(x, tuned);
  double largest = 1e-300;
  for (Eigen::Index row = 0; row < matrix.whole.rows(); ++row) {
    double sum = 0;
    for (SparseBlock::InnerIterator it(matrix.whole, row); it; ++it) sum += std::abs(it.value());
    largest = std::max(largest, sum);
  }
  double worst = 0;
  for (std::size_t i = 0; i < size; ++i) worst = test::worse(worst, std::abs(x[i] + plain[i] - tuned[i]));
  return worst / largest;
}

constexpr double rounding = 1e-14;

}  // namespace

TEST_CASE(
    "cg: the product of a symmetric matrix equals the plain one, whatever its size leaves of slices and tiles") {
  const auto rows = static_cast<std::int32_t>(tile.rows);
  const auto columns = static_cast<std::int32_t>(tile.most_columns);
  for (const std::int32_t size :
       {1, 2, 7, 8, 9, 100, rows - 1, rows, rows + 1, columns - 1, columns, columns + 1, 2 * columns + 3}) {
    INFO(size << " rows");
    CHECK(worst_difference(make_both(size, scattered(size))) < rounding);
  }
}

TEST_CASE("cg: rows of a symmetric matrix may have the same column in the same step") {
  Elements elements;
  for (std::int32_t row = 0; row < 40; ++row) {
    for (std::int32_t column = 60; column < 66; ++column) elements.emplace_back(row, column, 1.0 + 0.01 * row);
  }
  CHECK(worst_difference(make_both(70, elements)) < rounding);
}

TEST_CASE("cg: rows without elements right of the diagonal come out right") {
  const auto last = static_cast<std::int32_t>(2 * tile.most_columns - 1);
  CHECK(worst_difference(make_both(50, {})) < rounding);
  CHECK(worst_difference(make_both(last + 1, {{0, last, 3.0}, {1500, 1501, -2.0}, {last - 1, last, 5.0}})) <
        rounding);
}

TEST_CASE("cg: a symmetric matrix stores about half of its elements") {
  const Elements upper = scattered(3000);
  const Both both = make_both(3000, upper);
  CHECK(both.symmetric.stored_elements() >= static_cast<std::int64_t>(upper.size()));
  CHECK(both.symmetric.stored_elements() < both.whole.nonZeros() * 55 / 100);
}

TEST_CASE("cg: a symmetric matrix without rows adds nothing") {
  std::vector<double> nothing;
  make_both(0, {}).symmetric.add_product(nothing, nothing);
  CHECK(nothing.empty());
  CHECK(SymmetricMatrix().size() == 0);
}
