#include "kernels/ft/checksum.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/ft/fftw/layout.hpp"

using namespace nasvm;
using namespace nasvm::ft;

TEST_CASE("ft checksum: the shares add up to the sum of the 1024 specified points") {
  const Grid grid{8, 6, 5};
  const auto value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return Complex(static_cast<double>(x + 10 * y), static_cast<double>(100 * z - x));
  };
  Complex expected = 0;
  for (std::int64_t j = 1; j <= 1024; ++j) expected += value(j % 8, 3 * j % 6, 5 * j % 5);
  expected /= static_cast<double>(grid.points());

  for (const int tasks : {1, 3, 7}) {
    Complex sum = 0;
    for (int rank = 0; rank < tasks; ++rank) {
      const Layout layout(grid, tasks, rank);
      std::vector<Complex> space(static_cast<std::size_t>(layout.space_points()));
      for (std::int64_t plane = 0; plane < layout.planes().size(); ++plane) {
        for (std::int64_t y = 0; y < grid.ny; ++y) {
          for (std::int64_t x = 0; x < grid.nx; ++x) {
            space[static_cast<std::size_t>(layout.row_in_space(plane, y) + x)] =
                value(x, y, layout.planes().begin + plane);
          }
        }
      }
      sum += checksum_share(grid, layout.planes(), [&](std::int64_t plane, std::int64_t y, std::int64_t x) {
        return space[static_cast<std::size_t>(layout.row_in_space(plane, y) + x)];
      });
    }
    CHECK(std::abs(sum - expected) < 1e-12 * std::abs(expected));
  }
}

TEST_CASE("ft verification: accepts what is within the tolerance, and nothing else") {
  const std::vector<Complex> reference{{500, 400}, {300, -200}};
  std::vector<Complex> sums = reference;
  CHECK(verify(sums, reference).verified);
  sums[1] *= 1 + 0.9e-12;
  CHECK(verify(sums, reference).verified);
  CHECK(verify(sums, reference).worst_error == Approx(0.9e-12).epsilon(1e-3));
  sums[1] = reference[1] * (1 + 1.1e-12);
  CHECK_FALSE(verify(sums, reference).verified);
  sums[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(verify(sums, reference).verified);
  CHECK(std::isnan(verify(sums, reference).worst_error));
  std::swap(sums[0], sums[1]);
  sums[1] = reference[1];
  CHECK(std::isnan(verify(sums, reference).worst_error));
}

TEST_CASE("ft verification: wants a reference for every checksum") {
  const std::vector<Complex> reference{{500, 400}, {300, -200}};
  CHECK_THROWS_AS(verify(std::vector<Complex>(1), reference), std::invalid_argument);
}
