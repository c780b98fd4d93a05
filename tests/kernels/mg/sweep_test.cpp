#include "kernels/mg/sweep.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/common/random.hpp"
#include "kernels/mg/plain.hpp"
#include "kernels/mg/problem.hpp"

using namespace nasvm;
using namespace nasvm::mg;

namespace {

constexpr Coefficients smoother{-0.37, 0.031, -0.016, 0.007};
constexpr double rounding = 1e-14;

Grid random_grid(int edge, Range planes, std::uint64_t seed) {
  Grid grid(edge, planes, 1);
  NpbRandom random(seed);
  for (double& value : grid.span(planes)) value = random.next() - 0.5;
  return grid;
}

double largest_difference(Grid& a, Grid& b, Range planes) {
  double largest = 0;
  for (std::int64_t z = planes.begin; z < planes.end; ++z) {
    for (std::size_t i = 0; i < a.span(z).size(); ++i)
      largest = std::max(largest, std::abs(a.plane(z)[i] - b.plane(z)[i]));
  }
  return largest;
}

Planes around(const Grid& grid, std::int64_t z) { return {grid.plane(z - 1), grid.plane(z), grid.plane(z + 1)}; }

/// The window of a slab of three coarse planes, 3 to 5, and the grids around it.
struct Case {
  explicit Case(int points)
      : edge(points),
        u(random_grid(edge, window, 1)),
        rhs(random_grid(edge, {4, 15}, 2)),
        coarse(random_grid(edge / 2, {1, 8}, 3)),
        residual(edge / 2, coarse_planes, 1),
        squares(16) {}

  static constexpr Range window{3, 16};
  static constexpr Range coarse_planes{3, 6};

  int edge;
  Grid u;
  Grid rhs;
  Grid coarse;
  Grid residual;
  std::vector<double> squares;
};

/// One pass after the other, with the plain operations.
void separately(Case& c, Store store, bool leaves) {
  const Range w = Case::window;
  Grid r(c.edge, w, 1);
  for (std::int64_t z = w.begin; z < w.end; ++z) {
    plain::prolongate_plane(c.coarse.plane((z - 1) >> 1), c.coarse.plane(z >> 1), store, c.u.plane(z), c.edge);
  }
  for (std::int64_t z = w.begin + 1; z < w.end - 1; ++z) {
    plain::residual_plane(laplacian, around(c.u, z), c.rhs.plane(z), r.plane(z), c.edge);
  }
  for (std::int64_t z = w.begin + 2; z < w.end - 2; ++z) {
    plain::smooth_plane(smoother, around(r, z), c.u.plane(z), c.edge);
  }
  for (std::int64_t z = w.begin + 3; leaves && z < w.end - 3; ++z) {
    const Restriction to = restriction_of(z, c.residual, Case::coarse_planes);
    c.squares[static_cast<std::size_t>(z)] =
        plain::restrict_residual_plane(laplacian, around(c.u, z), c.rhs.plane(z), to, c.edge);
  }
}

void fused(Case& c, Store store, bool leaves, bool apart, int strip = 0, Asking asking = Asking::twice) {
  Scratch scratch(c.edge, 2);
  PlaneTable table(Case::window);
  int used = 0;
  for (std::int64_t z = Case::window.begin; z < Case::window.end; ++z) {
    const bool own = apart && (z < 6 || z >= 12);
    table[z] = own ? scratch.private_plane(used++, c.edge) : c.u.plane(z);
    if (own) std::copy_n(c.u.plane(z), c.u.span(z).size(), table[z]);
  }
  const ResidualSink sink{laplacian, &c.rhs, &c.residual, Case::coarse_planes, {6, 13}, c.squares.data()};
  run_sweep({c.edge, laplacian, smoother, &c.coarse, store, &c.rhs, leaves ? &sink : nullptr, strip, asking}, table,
            scratch);
}

}  // namespace

TEST_CASE("a fused sweep does what four passes do", "[lanes]") {
  const int edge = GENERATE(8, 16, 64);
  const Store store = GENERATE(Store::assign, Store::add);
  const bool leaves = GENERATE(false, true);
  Case expected(edge);
  separately(expected, store, leaves);
  Case found(edge);
  fused(found, store, leaves, false);
  CHECK(largest_difference(found.u, expected.u, {5, 14}) < rounding);
  CHECK(largest_difference(found.residual, expected.residual, Case::coarse_planes) < rounding);
  for (std::size_t z = 0; z < 16; ++z) CHECK(found.squares[z] == Approx(expected.squares[z]).epsilon(1e-13));
}

TEST_CASE("strips of rows make up the whole", "[lanes]") {
  const int edge = GENERATE(32, 64);
  const int strip = GENERATE(8, 16, 32);
  const Store store = GENERATE(Store::assign, Store::add);
  const bool leaves = GENERATE(false, true);
  const Asking asking = GENERATE(Asking::twice, Asking::thrice);
  CAPTURE(edge, strip);
  Case expected(edge);
  fused(expected, store, leaves, false, edge);
  Case found(edge);
  fused(found, store, leaves, false, strip, asking);
  CHECK(largest_difference(found.u, expected.u, {5, 14}) == 0);
  CHECK(largest_difference(found.residual, expected.residual, Case::coarse_planes) == 0);
  for (std::size_t z = 0; z < 16; ++z) CHECK(found.squares[z] == Approx(expected.squares[z]).epsilon(1e-13));
}

TEST_CASE("planes that a thread has for itself leave the grid's alone", "[lanes]") {
  Case together(16);
  fused(together, Store::add, true, false);
  Case apart(16);
  const Case before(16);
  fused(apart, Store::add, true, true);
  CHECK(largest_difference(apart.u, together.u, {6, 12}) == 0);
  CHECK(largest_difference(apart.residual, together.residual, Case::coarse_planes) == 0);
  for (const std::int64_t z : {3, 4, 5, 12, 13, 14, 15}) {
    CHECK(std::equal(apart.u.plane(z), apart.u.plane(z) + 256, before.u.plane(z)));
  }
}

TEST_CASE("squares are noted for counted planes only", "[lanes]") {
  Case c(8);
  c.squares.assign(16, -1.0);
  fused(c, Store::assign, true, false);
  for (std::size_t z = 0; z < 16; ++z) CHECK((c.squares[z] >= 0) == (z >= 6 && z < 13));
}

TEST_CASE("odd fine planes restrict to one coarse plane, even ones to two, within the planes wanted", "[lanes]") {
  Grid coarse(4, {2, 6}, 1);
  const Restriction odd = restriction_of(7, coarse, {2, 5});
  CHECK(odd.weight == 0.5);
  CHECK(odd.add == coarse.plane(3));
  CHECK(odd.assign == nullptr);
  const Restriction even = restriction_of(6, coarse, {2, 5});
  CHECK(even.weight == 0.25);
  CHECK(even.add == coarse.plane(2));
  CHECK(even.assign == coarse.plane(3));
  CHECK(restriction_of(4, coarse, {2, 5}).add == nullptr);
  CHECK(restriction_of(10, coarse, {2, 5}).assign == nullptr);
  CHECK(restriction_of(10, coarse, {2, 5}).add == coarse.plane(4));
}
