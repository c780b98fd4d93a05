#include "kernels/ft/evolution.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

using namespace nasvm::ft;

TEST_CASE("ft evolution: wavenumbers count up to half and then from below") {
  CHECK(wavenumber(0, 8) == 0);
  CHECK(wavenumber(3, 8) == 3);
  CHECK(wavenumber(4, 8) == -4);
  CHECK(wavenumber(7, 8) == -1);
}

TEST_CASE("ft evolution: the tables' product is the exponential of the sum") {
  const Grid grid{64, 32, 16};
  for (const int t : {1, 6, 25}) {
    const Evolution evolution(grid, t);
    for (std::int64_t x = 0; x < grid.nx; x += 5) {
      for (std::int64_t y = 0; y < grid.ny; y += 3) {
        for (std::int64_t z = 0; z < grid.nz; ++z) {
          const auto kx = static_cast<long double>(wavenumber(x, grid.nx));
          const auto ky = static_cast<long double>(wavenumber(y, grid.ny));
          const auto kz = static_cast<long double>(wavenumber(z, grid.nz));
          const long double pi = std::numbers::pi_v<long double>;
          const long double exact = std::exp(-4.0L * 1e-6L * pi * pi * (kx * kx + ky * ky + kz * kz) * t);
          const double product = evolution.x_twice[static_cast<std::size_t>(2 * x)] *
                                 evolution.y[static_cast<std::size_t>(y)] * evolution.z[static_cast<std::size_t>(z)];
          REQUIRE(std::abs(static_cast<double>(product / exact - 1)) < 2e-15);
        }
      }
    }
  }
}

TEST_CASE("ft evolution: both parts of a number take the same factor") {
  const Grid grid{8, 4, 4};
  const Evolution evolution(grid, 3);
  const std::vector<Complex> from(8, Complex(2, -3));
  std::vector<Complex> to(8);
  evolve(from.data(), to.data(), 8, evolution.x_twice.data(), 0.5);
  for (std::size_t x = 0; x < to.size(); ++x) {
    const double factor = evolution.x_twice[2 * x] * 0.5;
    CHECK(to[x] == Complex(2 * factor, -3 * factor));
  }
}
