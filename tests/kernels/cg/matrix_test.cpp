#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include "kernels/cg/matrix.hpp"
#include "kernels/cg/random_matrix.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

const Parameters small{'T', 60, 5, 1, 7.0, 0.0};

/// The definition of the matrix, word for word.
Eigen::MatrixXd dense_matrix(const Parameters& problem) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(problem.order, problem.order);
  VectorSequence sequence(problem);
  for (std::int64_t i = 0; i < problem.order; ++i) {
    const GeneratingVector& vector = sequence.next();
    Eigen::VectorXd v = Eigen::VectorXd::Zero(problem.order);
    for (const auto& [position, value] : vector.entries) v[position] += value;
    sum += vector.weight * v * v.transpose();
  }
  sum.diagonal().array() += condition - problem.shift;
  return sum;
}

Eigen::MatrixXd dense_columns(const Eigen::MatrixXd& matrix, const IntervalSet& columns) {
  Eigen::MatrixXd chosen(matrix.rows(), columns.size());
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    if (columns.local(column) >= 0) chosen.col(columns.local(column)) = matrix.col(column);
  }
  return chosen;
}

/// The largest difference of two elements. (GCC 12 warns about Eigen's own reductions with AVX-512.)
double difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) worst = test::worse(worst, std::abs(a.data()[i] - b.data()[i]));
  return worst;
}

Eigen::Index count_nonzeros(const Eigen::MatrixXd& matrix) {
  return std::count_if(matrix.data(), matrix.data() + matrix.size(), [](double value) { return value != 0; });
}

std::vector<double> test_vector(std::int64_t size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.37 * static_cast<double>(i % 11);
  return x;
}

}  // namespace

TEST_CASE("cg: the assembled matrix is the sum of outer products, and symmetric") {
  const IntervalSet all({{0, small.order}});
  const Eigen::MatrixXd assembled = assemble(small, {0, small.order}, all).toDense();
  CHECK(difference(assembled, dense_matrix(small)) < 1e-14);
  CHECK(difference(assembled, assembled.transpose()) < 1e-15);
  CHECK(count_nonzeros(assembled) > 10 * small.order);  // there is something in it
}

TEST_CASE("cg: a block is that part of the matrix") {
  const Range rows{13, 41};
  const IntervalSet columns({{3, 10}, {20, 20}, {25, 26}, {40, 60}});
  const SparseBlock block = assemble(small, rows, columns);
  REQUIRE(block.rows() == 28);
  REQUIRE(block.cols() == 28);
  const Eigen::MatrixXd expected = dense_columns(dense_matrix(small), columns).middleRows(13, 28);
  CHECK(difference(block.toDense(), expected) < 1e-14);
}

TEST_CASE("cg: the rows of a block are sorted by column without repetition") {
  const SparseBlock block = assemble(small, {0, small.order}, IntervalSet({{0, small.order}}));
  REQUIRE(block.isCompressed());
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    for (int k = block.outerIndexPtr()[row] + 1; k < block.outerIndexPtr()[row + 1]; ++k) {
      CHECK(block.innerIndexPtr()[k - 1] < block.innerIndexPtr()[k]);
    }
  }
  CHECK(block.nonZeros() == count_nonzeros(dense_matrix(small)));
}

TEST_CASE("cg: a block without rows or without columns is empty") {
  CHECK(assemble(small, {9, 9}, IntervalSet({{0, small.order}})).nonZeros() == 0);
  CHECK(assemble(small, {0, small.order}, IntervalSet({{5, 5}})).nonZeros() == 0);
}

TEST_CASE("cg: the product equals the dense product, with any number of threads") {
  const Parameters problem{'T', 300, 9, 1, 7.0, 0.0};  // rows long enough for the unrolled part of the loop
  const Range rows{17, 290};
  const IntervalSet columns({{0, 100}, {120, 260}});
  const std::vector<double> x = test_vector(columns.size());
  const Eigen::MatrixXd dense = dense_columns(dense_matrix(problem), columns);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(rows.size());
  for (Eigen::Index j = 0; j < dense.cols(); ++j) {
    expected += x[static_cast<std::size_t>(j)] * dense.col(j).segment(rows.begin, rows.size());
  }

  std::vector<double> one_thread(static_cast<std::size_t>(rows.size()));
  Matrix(problem, rows, columns, 1).multiply(x, one_thread);
  CHECK(difference(Eigen::Map<Eigen::VectorXd>(one_thread.data(), rows.size()), expected) < 1e-11);

  for (const int threads : {2, 3, 5}) {
    std::vector<double> y(one_thread.size());
    Matrix matrix(problem, rows, columns, threads);
    matrix.multiply(x, y);
    // Other slices, so other rounding: the sums are of order 10.
    CHECK(difference(Eigen::Map<Eigen::VectorXd>(y.data(), rows.size()), expected) < 1e-11);
    std::vector<double> again(y.size());
    matrix.multiply(x, again);
    CHECK(again == y);
    CHECK(matrix.nonzeros() == Matrix(problem, rows, columns, 1).nonzeros());
  }
}

TEST_CASE("cg: more threads than rows do no harm") {
  const IntervalSet all({{0, small.order}});
  const std::vector<double> x = test_vector(small.order);
  std::vector<double> two(2), two_threads(2);
  Matrix(small, {30, 32}, all, 1).multiply(x, two);
  Matrix(small, {30, 32}, all, 4).multiply(x, two_threads);
  CHECK(two[0] == Approx(two_threads[0]).epsilon(1e-13));
  CHECK(two[1] == Approx(two_threads[1]).epsilon(1e-13));
  CHECK(two[0] != 0);
}
