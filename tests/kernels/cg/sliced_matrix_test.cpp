#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "support/worse.hpp"

#include "kernels/cg/sliced_matrix.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

constexpr TileShape tile{1024, 512};

std::vector<double> test_vector(std::int64_t size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<double>(i) + 0.5);
  return x;
}

/// The largest difference between the tuned product and the plain one, relative to the largest sum of absolute values
/// in a row: so both may round differently, by a few units of the last place for each element.
double worst_difference(const SparseBlock& matrix) {
  const std::vector<double> x = test_vector(matrix.cols());
  std::vector<double> plain(static_cast<std::size_t>(matrix.rows()));
  std::vector<double> tuned(plain.size(), 1e300);  // what was there before does not count
  multiply_plainly(matrix, x, plain);
  SlicedMatrix(matrix, tile).multiply(x, tuned);
  double largest = 1e-300;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    for (SparseBlock::InnerIterator it(matrix, row); it; ++it) sum += std::abs(it.value());
    largest = std::max(largest, sum);
  }
  double worst = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) worst = test::worse(worst, std::abs(plain[i] - tuned[i]));
  return worst / largest;
}

SparseBlock from_triplets(std::int64_t rows, std::int64_t columns,
                          const std::vector<Eigen::Triplet<double, std::int32_t>>& elements) {
  SparseBlock matrix(rows, columns);
  matrix.setFromTriplets(elements.begin(), elements.end());
  return matrix;
}

constexpr double rounding = 1e-14;

}  // namespace

TEST_CASE("cg: the tuned product equals the plain one, over many tiles") {
  const Parameters problem{'T', 9001, 6, 1, 7.0, 0.0};
  const SparseBlock whole = assemble(problem, {0, problem.order}, IntervalSet({{0, problem.order}}));
  REQUIRE(whole.cols() > 2 * tile.most_columns);
  REQUIRE(whole.rows() > 2 * tile.rows);
  REQUIRE(whole.nonZeros() > 300000);
  CHECK(worst_difference(whole) < rounding);
  CHECK(worst_difference(assemble(problem, {100, 733}, IntervalSet({{5, 4000}, {4100, 9001}}, 2))) < rounding);
}

TEST_CASE("cg: slices are hardly ever filled up, because rows of a tile are sorted by length") {
  const Parameters problem{'T', 9001, 9, 1, 7.0, 0.0};
  const SparseBlock whole = assemble(problem, {0, problem.order}, IntervalSet({{0, problem.order}}));
  const auto stored = static_cast<double>(SlicedMatrix(whole, tile).stored_elements());
  CHECK(stored >= static_cast<double>(whole.nonZeros()));
  CHECK(stored < 1.04 * static_cast<double>(whole.nonZeros()));
}

TEST_CASE("cg: rows of any length and columns anywhere come out right") {
  const auto last = static_cast<std::int32_t>(tile.most_columns - 1);
  std::vector<Eigen::Triplet<double, std::int32_t>> elements;
  for (std::int32_t row = 0; row < 37; ++row) {
    for (std::int32_t k = 0; k < row % 11; ++k) elements.emplace_back(row, (row * 131 + k * 317) % last, 1.0 + k);
  }
  for (std::int32_t column = 0; column < 2 * last; ++column) elements.emplace_back(36, column, 0.25);
  elements.emplace_back(0, last, 3.0);
  elements.emplace_back(11, 2 * last + 1, -2.0);
  CHECK(worst_difference(from_triplets(37, last + 1, {{0, last, 3.0}, {36, last, 2.0}})) < rounding);
  CHECK(worst_difference(from_triplets(37, 2 * last + 2, elements)) < rounding);
}

TEST_CASE("cg: any number of rows that leaves a slice or a tile incomplete comes out right") {
  const Parameters problem{'T', 1200, 5, 1, 7.0, 0.0};
  const IntervalSet all({{0, problem.order}});
  for (const std::int64_t rows : {1, 7, 8, 9, 511, 512, 513, 1025}) {
    INFO(rows << " rows");
    CHECK(worst_difference(assemble(problem, {50, 50 + rows}, all)) < rounding);
  }
}

TEST_CASE("cg: a matrix without elements gives zeros") {
  std::vector<double> y(20, 5.0);
  SlicedMatrix(SparseBlock(20, 30), tile).multiply(std::vector<double>(30, 1.0), y);
  CHECK(y == std::vector<double>(20, 0.0));
  std::vector<double> nothing;
  SlicedMatrix(SparseBlock(0, 30), tile).multiply(std::vector<double>(30, 1.0), nothing);
  SlicedMatrix(SparseBlock(20, 0), tile).multiply(nothing, y);
  CHECK(y == std::vector<double>(20, 0.0));
}
