#pragma once
/// \file
/// The evolution in time: factors exp(-4 alpha pi^2 (kx^2 + ky^2 + kz^2) t) as products of three short tables.

#include <cstdint>
#include <vector>

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Index of a frequency made signed: 0, 1, ..., n/2 - 1, -n/2, ..., -1.
constexpr std::int64_t wavenumber(std::int64_t index, std::int64_t n) { return index < n / 2 ? index : index - n; }

/// The factors of time t, one table for each dimension, each exact to the rounding of one exponential.
struct Evolution {
  Evolution(const Grid& grid, int t);

  std::vector<double> x;
  std::vector<double> x_twice;  ///< 2 nx: each factor of x twice, for the real and the imaginary part
  std::vector<double> y;
  std::vector<double> z;
};

/// to[i] = from[i] * x[i] * factor for `count` points; `x` as in x_twice, from the first of the points on.
/// Operations: 4 for each point. Bytes: 32.
void evolve(const Complex* from, Complex* to, std::int64_t count, const double* x, double factor);

}  // namespace nasvm::ft
