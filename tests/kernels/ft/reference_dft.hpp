#pragma once
/// \file
/// The definition of the discrete Fourier transform, for tests: slow and plain.

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace nasvm::ft::test {

/// b[k] = sum over t of a[t] e^{sign 2 pi i k t / n}, summed in long double.
inline std::vector<std::complex<double>> reference_dft(const std::vector<std::complex<double>>& a, int sign) {
  const std::size_t n = a.size();
  std::vector<std::complex<long double>> roots;
  for (std::size_t k = 0; k < n; ++k) {
    const long double turns = static_cast<long double>(k) / static_cast<long double>(n);
    roots.push_back(std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turns));
  }
  std::vector<std::complex<double>> b;
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (std::size_t t = 0; t < n; ++t) sum += std::complex<long double>(a[t]) * roots[k * t % n];
    b.emplace_back(sum);
  }
  return b;
}

}  // namespace nasvm::ft::test
