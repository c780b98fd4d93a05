#include "kernels/ft/evolution.hpp"

#include <cmath>
#include <numbers>

namespace nasvm::ft {
namespace {

std::vector<double> factors(std::int64_t n, int t, int copies) {
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(n * copies));
  for (std::int64_t index = 0; index < n; ++index) {
    const auto k = static_cast<double>(wavenumber(index, n));
    const double factor = std::exp(-4.0 * alpha * std::numbers::pi * std::numbers::pi * (k * k * t));
    table.insert(table.end(), static_cast<std::size_t>(copies), factor);
  }
  return table;
}

}  // namespace

Evolution::Evolution(const Grid& grid, int t)
    : x(factors(grid.nx, t, 1)),
      x_twice(factors(grid.nx, t, 2)),
      y(factors(grid.ny, t, 1)),
      z(factors(grid.nz, t, 1)) {}

void evolve(const Complex* from, Complex* to, std::int64_t count, const double* x, double factor) {
  const auto* in = reinterpret_cast<const double*>(from);
  auto* out = reinterpret_cast<double*>(to);
  for (std::int64_t i = 0; i < 2 * count; ++i) out[i] = in[i] * (x[i] * factor);
}

}  // namespace nasvm::ft
