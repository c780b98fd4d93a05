#pragma once
/// \file
/// The problem classes of EP and what is known about their results.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.1 (kernel EP); official sums of the classes.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nasvm::ep {

inline constexpr std::uint64_t seed = 271828183;
inline constexpr int annuli = 10;
/// Work is handed out in batches of 2^16 pairs.
inline constexpr int batch_log2 = 16;
inline constexpr std::int64_t batch_pairs = std::int64_t{1} << batch_log2;
/// Largest relative error of either sum.
inline constexpr double tolerance = 1e-8;

inline constexpr std::string_view class_letters = "SWABCDEF";

using Counts = std::array<std::uint64_t, annuli>;

struct Parameters {
  char letter = 'S';
  int pairs_log2 = 0;
  double sx = 0;  ///< official sum of the deviates X
  double sy = 0;
  std::optional<Counts> counts;  ///< deviates per annulus, where they have been recorded

  [[nodiscard]] std::int64_t batches() const { return std::int64_t{1} << (pairs_log2 - batch_log2); }
};

/// The parameters of a class; UsageError when there is none of that letter.
const Parameters& parameters(char letter);

}  // namespace nasvm::ep
