#pragma once
/// \file
/// The problem classes of FT: grid, iterations, official checksums; and the constants that all classes share.
/// Source of the numbers: the NAS Parallel Benchmarks 3.4, problem classes S to F. Class R is not NASA's: the reduced
/// problem of White, Alund, Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks", Table 5.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nasvm::ft {

using Complex = std::complex<double>;

inline constexpr std::uint64_t seed = 314159265;
inline constexpr double alpha = 1e-6;
/// Relative error of each iteration's complex checksum that still verifies.
inline constexpr double tolerance = 1e-12;
/// Points of the solution that one checksum adds up.
inline constexpr int checksum_points = 1024;

/// Points in each dimension; x varies fastest, z slowest.
struct Grid {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  std::int64_t nz = 0;
  [[nodiscard]] constexpr std::int64_t points() const { return nx * ny * nz; }
};

struct Parameters {
  char letter = 'S';
  Grid grid;
  std::span<const Complex> checksums;  ///< one for each iteration, the first is that of t = 1

  [[nodiscard]] int iterations() const { return static_cast<int>(checksums.size()); }
};

inline constexpr std::string_view class_letters = "SWABCDEFR";

/// The class of that name; UsageError when there is none.
const Parameters& parameters(char letter);

}  // namespace nasvm::ft
