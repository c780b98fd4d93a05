#pragma once
/// \file
/// The pseudorandom numbers of the NAS benchmarks: x_{k+1} = a x_k mod 2^46 with a = 5^13, uniforms r_k = x_k 2^-46
/// in (0, 1). Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.3; constants as in the problem tables.
/// Exact integer arithmetic: the same numbers on every machine.

#include <cstdint>

namespace nasvm {

class NpbRandom {
 public:
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

  constexpr explicit NpbRandom(std::uint64_t seed) : state_(seed & mask) {}

  /// The next uniform (the generator steps first: the seed itself is never returned).
  constexpr double next() { return static_cast<double>(next_state()) * 0x1p-46; }
  constexpr std::uint64_t next_state() { return state_ = (state_ * multiplier) & mask; }
  [[nodiscard]] constexpr std::uint64_t state() const { return state_; }

  /// Moves on by `steps` numbers in O(log steps).
  constexpr void skip(std::uint64_t steps) { state_ = (state_ * power(multiplier, steps)) & mask; }

  /// base^exponent mod 2^46.
  static constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = (base * base) & mask) {
      if (exponent & 1) result = (result * base) & mask;
    }
    return result;
  }

 private:
  std::uint64_t state_;
};

}  // namespace nasvm
