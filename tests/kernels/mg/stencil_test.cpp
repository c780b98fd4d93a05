#include "kernels/mg/stencil.hpp"

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/mg/naive_operators.hpp"
#include "kernels/mg/plain.hpp"

using namespace nasvm::mg;
using namespace nasvm::mg::test;

namespace {

/// Different weights, so that no two distances can be confused; and one of them nought, as in NASA's operators.
Coefficients some_weights() {
  constexpr Coefficients all{-1.7, 0.31, 0.053, -0.011};
  constexpr Coefficients no_faces{-1.7, 0, 0.053, -0.011};
  constexpr Coefficients no_corners{-1.7, 0.31, 0.053, 0};
  return GENERATE(values({all, no_faces, no_corners}));
}

/// A few roundings of 27 terms of at most 1.
constexpr double rounding = 1e-14;

/// The operations of one implementation, on cubes.
struct Operations {
  std::function<Cube(const Cube& u, const Cube& rhs)> residual;
  std::function<Cube(const Cube& r, Cube u)> smooth;
  std::function<Cube(const Cube& fine)> restricted;
  std::function<std::pair<Cube, double>(const Cube& u, const Cube& rhs)> restrict_residual;
  std::function<Cube(const Cube& coarse, Store store, Cube fine)> prolongate;
};

Restriction restriction_of(int z, Cube& coarse) {
  if (z % 2 == 1) return {0.5, coarse.plane(z / 2), nullptr};
  return {0.25, z > 0 ? coarse.plane(z / 2 - 1) : nullptr, z < 2 * coarse.edge ? coarse.plane(z / 2) : nullptr};
}

/// Sends planes 0 .. edge to their coarse planes: the last is the first again.
template <typename RestrictPlane>
Cube restricted_by(int edge, const RestrictPlane& restrict_one) {
  Cube coarse(edge / 2);
  for (int z = 0; z <= edge; ++z) restrict_one(z, restriction_of(z, coarse));
  return coarse;
}

std::pair<const double*, const double*> coarse_planes(const Cube& coarse, int z) {
  return {coarse.plane(z % 2 == 1 ? z / 2 : z / 2 - 1), coarse.plane(z / 2)};
}

/// All rows of a plane, from row `start` on: if it is large enough in two parts.
std::vector<Rows> parts_of(int edge, int start) {
  if (edge < 16) return {{start, start + edge}};
  return {{start, start + edge / 4}, {start + edge / 4, start + edge}};
}

Operations tuned(const Coefficients& weights) {
  Operations made;
  made.residual = [weights](const Cube& u, const Cube& rhs) {
    Cube out(u.edge);
    for (int z = 0; z < u.edge; ++z) {
      for (const Rows rows : parts_of(u.edge, 1)) {
        residual_plane(weights, u.planes(z), rhs.plane(z), out.plane(z), u.edge, rows,
                       {u.plane(z + 2), rhs.plane(z)});
      }
    }
    return out;
  };
  made.smooth = [weights](const Cube& r, Cube u) {
    for (int z = 0; z < u.edge; ++z) {
      for (const Rows rows : parts_of(u.edge, 2)) {
        smooth_plane(weights, r.planes(z), u.plane(z), u.edge, rows, {.rhs = u.plane(z + 1)});
      }
    }
    return u;
  };
  made.restricted = [](const Cube& fine) {
    std::vector<double> room(static_cast<std::size_t>(fine.edge));
    return restricted_by(
        fine.edge, [&](int z, const Restriction& to) { restrict_plane(fine.plane(z), to, room.data(), fine.edge); });
  };
  made.restrict_residual = [weights](const Cube& u, const Cube& rhs) {
    std::vector<double> room(2 * static_cast<std::size_t>(u.edge));
    double squares = 0;
    Cube coarse = restricted_by(u.edge, [&](int z, const Restriction& to) {
      double sum = 0;
      for (const Rows rows : parts_of(u.edge, 5)) {
        sum += restrict_residual_plane(weights, u.planes(z), rhs.plane(z), to, room.data(), u.edge, rows,
                                       {u.plane(z + 1), rhs.plane(z + 1)});
      }
      if (z < u.edge) squares += sum;
    });
    return std::pair(coarse, squares);
  };
  made.prolongate = [](const Cube& coarse, Store store, Cube fine) {
    for (int z = 0; z < fine.edge; ++z) {
      const auto [other, on] = coarse_planes(coarse, z);
      for (const Rows rows : parts_of(fine.edge, 0)) {
        prolongate_plane(other, on, store, fine.plane(z), fine.edge, rows);
      }
    }
    return fine;
  };
  return made;
}

Operations plainly(const Coefficients& weights) {
  Operations made;
  made.residual = [weights](const Cube& u, const Cube& rhs) {
    Cube out(u.edge);
    for (int z = 0; z < u.edge; ++z) plain::residual_plane(weights, u.planes(z), rhs.plane(z), out.plane(z), u.edge);
    return out;
  };
  made.smooth = [weights](const Cube& r, Cube u) {
    for (int z = 0; z < u.edge; ++z) plain::smooth_plane(weights, r.planes(z), u.plane(z), u.edge);
    return u;
  };
  made.restricted = [](const Cube& fine) {
    return restricted_by(fine.edge,
                         [&](int z, const Restriction& to) { plain::restrict_plane(fine.plane(z), to, fine.edge); });
  };
  made.restrict_residual = [weights](const Cube& u, const Cube& rhs) {
    double squares = 0;
    Cube coarse = restricted_by(u.edge, [&](int z, const Restriction& to) {
      const double sum = plain::restrict_residual_plane(weights, u.planes(z), rhs.plane(z), to, u.edge);
      if (z < u.edge) squares += sum;
    });
    return std::pair(coarse, squares);
  };
  made.prolongate = [](const Cube& coarse, Store store, Cube fine) {
    for (int z = 0; z < fine.edge; ++z) {
      const auto [other, on] = coarse_planes(coarse, z);
      plain::prolongate_plane(other, on, store, fine.plane(z), fine.edge);
    }
    return fine;
  };
  return made;
}

/// Both implementations stand the same tests.
Operations operations(const Coefficients& weights = {}) {
  return GENERATE(0, 1) == 0 ? tuned(weights) : plainly(weights);
}

Cube naive_residual(const Coefficients& weights, const Cube& u, const Cube& rhs) {
  Cube out(u.edge);
  for_points(u.edge, [&](int x, int y, int z) { out(x, y, z) = rhs(x, y, z) - naive_sum(weights, u, x, y, z); });
  return out;
}

Cube naive_restriction(const Cube& fine) {
  Cube coarse(fine.edge / 2);
  for_points(coarse.edge, [&](int x, int y, int z) {
    coarse(x, y, z) = naive_sum({0.5, 0.25, 0.125, 0.0625}, fine, 2 * x + 1, 2 * y + 1, 2 * z + 1);
  });
  return coarse;
}

double inner_product(const Cube& a, const Cube& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

}  // namespace

TEST_CASE("the residual is rhs minus the 27-point sum", "[lanes]") {
  const Coefficients weights = some_weights();
  const Operations with = operations(weights);
  const int edge = GENERATE(2, 4, 8, 16, 64);
  const Cube u = random_cube(edge, 1);
  const Cube rhs = random_cube(edge, 3);
  CHECK(largest_difference(with.residual(u, rhs), naive_residual(weights, u, rhs)) < rounding);
}

TEST_CASE("smoothing adds the 27-point sum of the residual", "[lanes]") {
  const Coefficients weights = some_weights();
  const Operations with = operations(weights);
  const int edge = GENERATE(2, 4, 8, 16, 64);
  const Cube r = random_cube(edge, 5);
  const Cube u = random_cube(edge, 7);
  Cube expected = u;
  for_points(edge, [&](int x, int y, int z) { expected(x, y, z) += naive_sum(weights, r, x, y, z); });
  CHECK(largest_difference(with.smooth(r, u), expected) < rounding);
}

TEST_CASE("restriction is full weighting around the fine partner 2c+1", "[lanes]") {
  const Operations with = operations();
  const Cube fine = random_cube(GENERATE(2, 4, 8, 16, 32), 11);
  CHECK(largest_difference(with.restricted(fine), naive_restriction(fine)) < rounding);
}

TEST_CASE("a residual is restricted, and its squares summed, without being stored", "[lanes]") {
  const Coefficients weights = some_weights();
  const Operations with = operations(weights);
  const int edge = GENERATE(2, 4, 8, 16, 64);
  const Cube u = random_cube(edge, 1);
  const Cube rhs = random_cube(edge, 3);
  const Cube residual = naive_residual(weights, u, rhs);
  const auto [coarse, squares] = with.restrict_residual(u, rhs);
  CHECK(largest_difference(coarse, naive_restriction(residual)) < rounding);
  CHECK(squares == Approx(inner_product(residual, residual)).epsilon(1e-13));
}

TEST_CASE("a single fine point restricts to the coarse points around it", "[lanes]") {
  const Operations with = operations();
  Cube fine(16);
  fine(3, 5, 6) = 1.0;  // on coarse x=1, on coarse y=2, between coarse z=2 and z=3
  const Cube coarse = with.restricted(fine);
  CHECK(coarse(1, 2, 2) == 0.25);
  CHECK(coarse(1, 2, 3) == 0.25);
  CHECK(std::accumulate(coarse.values.begin(), coarse.values.end(), 0.0) == 0.5);
}

TEST_CASE("prolongation interpolates between coarse points at 2c+1", "[lanes]") {
  const Operations with = operations();
  const int edge = GENERATE(4, 8, 16, 32);
  const Cube coarse = random_cube(edge / 2, 13);
  const Cube before = random_cube(edge, 17);
  Cube expected(edge);
  for_points(edge, [&](int x, int y, int z) { expected(x, y, z) = naive_interpolation(coarse, x, y, z); });
  CHECK(largest_difference(with.prolongate(coarse, Store::assign, before), expected) < rounding);

  for (std::size_t i = 0; i < before.values.size(); ++i) expected.values[i] += before.values[i];
  CHECK(largest_difference(with.prolongate(coarse, Store::add, before), expected) < rounding);
}

TEST_CASE("restriction is the transpose of prolongation, times one half", "[lanes]") {
  const Operations with = operations();
  const Cube fine = random_cube(16, 19);
  const Cube coarse = random_cube(8, 23);
  const Cube prolongated = with.prolongate(coarse, Store::assign, fine);
  CHECK(inner_product(with.restricted(fine), coarse) ==
        Approx(0.5 * inner_product(fine, prolongated)).epsilon(1e-12));
}
