#include "kernels/mg/stencil.hpp"

#include <catch2/catch.hpp>

#include "kernels/mg/naive_operators.hpp"

using namespace nasvm::mg;
using namespace nasvm::mg::test;

namespace {

/// Four different weights, so that no two distances can be confused.
constexpr Coefficients weights{-1.7, 0.31, 0.053, -0.011};
/// A few roundings of 27 terms of at most 1.
constexpr double rounding = 1e-14;

Cube restricted(const Cube& fine) {
  Cube coarse(fine.edge / 2);
  const auto points = static_cast<std::size_t>(coarse.edge * coarse.edge);
  std::vector<double> below(points);
  std::vector<double> above(points);
  for (int c = 0; c < coarse.edge; ++c) {
    restrict_in_plane(fine.plane(2 * c), fine.edge, 1.0, below.data());
    restrict_in_plane(fine.plane(2 * c + 1), fine.edge, 2.0, coarse.plane(c));
    restrict_in_plane(fine.plane(2 * c + 2), fine.edge, 1.0, above.data());
    add_planes(below.data(), above.data(), coarse.plane(c), points);
  }
  return coarse;
}

void prolongate(const Cube& coarse, Store store, Cube& fine) {
  for (int z = 0; z < fine.edge; ++z) {
    const int other = z % 2 == 1 ? z / 2 : z / 2 - 1;
    prolongate_plane(coarse.plane(other), coarse.plane(z / 2), coarse.edge, store, fine.plane(z));
  }
}

double inner_product(const Cube& a, const Cube& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

}  // namespace

TEST_CASE("the residual is rhs minus the 27-point sum") {
  const int edge = GENERATE(2, 4, 8, 16, 64);
  const Cube u = random_cube(edge, 1);
  const Cube rhs = random_cube(edge, 3);
  Cube expected(edge);
  for_points(edge, [&](int x, int y, int z) { expected(x, y, z) = rhs(x, y, z) - naive_sum(weights, u, x, y, z); });

  Cube out(edge);
  for (int z = 0; z < edge; ++z) residual_plane(weights, u.planes(z), rhs.plane(z), out.plane(z), edge);
  CHECK(largest_difference(out, expected) < rounding);

  SECTION("also where it replaces its right-hand side") {
    Cube in_place = rhs;
    for (int z = 0; z < edge; ++z) residual_plane(weights, u.planes(z), in_place.plane(z), in_place.plane(z), edge);
    CHECK(in_place.values == out.values);
  }
}

TEST_CASE("smoothing adds the 27-point sum of the residual") {
  const int edge = GENERATE(2, 4, 8, 16, 64);
  const Cube r = random_cube(edge, 5);
  Cube u = random_cube(edge, 7);
  Cube expected = u;
  for_points(edge, [&](int x, int y, int z) { expected(x, y, z) += naive_sum(weights, r, x, y, z); });

  for (int z = 0; z < edge; ++z) smooth_plane(weights, r.planes(z), u.plane(z), edge);
  CHECK(largest_difference(u, expected) < rounding);
}

TEST_CASE("restriction is full weighting around the fine partner 2c+1") {
  const int edge = GENERATE(4, 8, 32);
  const Cube fine = random_cube(edge, 11);
  Cube expected(edge / 2);
  for_points(edge / 2, [&](int x, int y, int z) {
    expected(x, y, z) = naive_sum({0.5, 0.25, 0.125, 0.0625}, fine, 2 * x + 1, 2 * y + 1, 2 * z + 1);
  });
  CHECK(largest_difference(restricted(fine), expected) < rounding);
}

TEST_CASE("a single fine point restricts to the coarse points around it") {
  Cube fine(8);
  fine(3, 5, 6) = 1.0;  // on coarse x=1, on coarse y=2, between coarse z=2 and z=3
  const Cube coarse = restricted(fine);
  CHECK(coarse(1, 2, 2) == 0.25);
  CHECK(coarse(1, 2, 3) == 0.25);
  double sum = 0;
  for (const double value : coarse.values) sum += value;
  CHECK(sum == 0.5);
}

TEST_CASE("prolongation interpolates between coarse points at 2c+1") {
  const int edge = GENERATE(4, 8, 32);
  const Cube coarse = random_cube(edge / 2, 13);
  Cube expected(edge);
  for_points(edge, [&](int x, int y, int z) { expected(x, y, z) = naive_interpolation(coarse, x, y, z); });

  Cube fine = random_cube(edge, 17);
  const Cube before = fine;
  prolongate(coarse, Store::assign, fine);
  CHECK(largest_difference(fine, expected) < rounding);

  SECTION("and can add to what is there") {
    Cube sum = before;
    prolongate(coarse, Store::add, sum);
    for (std::size_t i = 0; i < sum.values.size(); ++i) expected.values[i] += before.values[i];
    CHECK(largest_difference(sum, expected) < rounding);
  }
}

TEST_CASE("restriction is the transpose of prolongation, times one half") {
  const Cube fine = random_cube(16, 19);
  const Cube coarse = random_cube(8, 23);
  Cube prolongated(16);
  prolongate(coarse, Store::assign, prolongated);
  CHECK(inner_product(restricted(fine), coarse) == Approx(0.5 * inner_product(fine, prolongated)).epsilon(1e-12));
}

TEST_CASE("the sum of squares counts every point once") {
  const std::vector<double> values(37, -2.0);
  CHECK(sum_of_squares(values.data(), values.size()) == 148.0);
}
