#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/sliced_matrix.hpp"
#include "kernels/cg/two_sided_matrix.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

std::vector<double> numbers(std::int64_t size, double factor) {
  std::vector<double> some(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = std::cos(factor * static_cast<double>(i) + 0.5);
  return some;
}

/// Some elements in each row, and in rows that are neighbours the same columns now and then.
SparseBlock scattered(std::int32_t rows, std::int32_t columns) {
  std::vector<Eigen::Triplet<double, std::int32_t>> elements;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = row % 5; column < columns; column += 31 + row / 8 % 7) {
      elements.emplace_back(row, column, std::sin(row + 0.1 * column));
    }
  }
  SparseBlock block(rows, columns);
  block.setFromTriplets(elements.begin(), elements.end());
  return block;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = test::worse(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("cg: a block that is stored once adds its product and that of its transposed") {
  constexpr TileShape tile{256, 128};
  for (const auto& [rows, columns] : {std::pair{1, 1}, {300, 77}, {77, 300}, {128, 256}, {1000, 513}}) {
    INFO(rows << " x " << columns);
    const SparseBlock block = scattered(rows, columns);
    const std::vector<double> x_of_columns = numbers(columns, 1.0);
    const std::vector<double> x_of_rows = numbers(rows, 0.7);
    std::vector<double> plain_of_rows(x_of_rows.size());
    std::vector<double> plain_of_columns(x_of_columns.size());
    multiply_plainly(block, x_of_columns, plain_of_rows);
    multiply_plainly(SparseBlock(block.transpose()), x_of_rows, plain_of_columns);
    for (double& one : plain_of_rows) one += 1;
    for (double& one : plain_of_columns) one += 2;

    TwoSidedMatrix matrix(block, tile);
    for (const CacheHint hint : cache_hints) {
      std::vector<double> y_of_rows(x_of_rows.size(), 1.0);  // added to
      std::vector<double> y_of_columns(x_of_columns.size(), 2.0);
      matrix.add_products({x_of_columns, x_of_rows, y_of_rows, y_of_columns}, hint);
      CHECK(worst_difference(plain_of_rows, y_of_rows) < 1e-12);
      CHECK(worst_difference(plain_of_columns, y_of_columns) < 1e-12);
    }
    CHECK(matrix.stored_elements() >= block.nonZeros());
  }
}
