#include "kernels/common/machine_loops.hpp"

#include <array>
#include <cstddef>
#include <experimental/simd>

namespace nasvm::machine_loops {
namespace {

namespace stdx = std::experimental;
using Vector = stdx::native_simd<double>;

constexpr std::size_t lanes = Vector::size();
/// Enough to hide the latency of an addition, few enough for 16 registers.
constexpr std::size_t chains = 12;

double sum_of(const std::array<Vector, chains>& vectors) {
  double sum = 0;
  for (const Vector& vector : vectors) sum += stdx::reduce(vector);
  return sum;
}

}  // namespace

double read(std::span<const double> data) {
  constexpr std::size_t step = chains * lanes;
  std::array<Vector, chains> sums{};
  std::size_t i = 0;
  for (; i + step <= data.size(); i += step) {
    for (std::size_t k = 0; k < chains; ++k) sums[k] += Vector(&data[i + k * lanes], stdx::element_aligned);
  }
  double rest = 0;
  for (; i < data.size(); ++i) rest += data[i];
  return sum_of(sums) + rest;
}

void triad(std::span<double> a, std::span<const double> b, std::span<const double> c, double factor) {
  const std::size_t count = a.size();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + factor * c[i];
}

double multiply_add(std::int64_t rounds, double& result) {
  std::array<Vector, chains> values{};
  const Vector factor = 0.5;
  const Vector summand = 1.0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (Vector& value : values) value = value * factor + summand;
  }
  result = sum_of(values);
  return 2.0 * static_cast<double>(rounds) * static_cast<double>(chains * lanes);
}

}  // namespace nasvm::machine_loops
