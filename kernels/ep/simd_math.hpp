#pragma once
/// \file
/// Logarithm, inverse square root and uniforms for a whole vector of lanes at once, without division, square
/// root or table: what the vectorised loop of EP is made of. Portable through std::experimental::simd; the
/// vectors are as wide as the target of the compilation allows for numbers and integers alike.
///
/// Everything here must be inlined into the loop, or the loop's state is spilled to memory around each call.

#include <bit>
#include <cstdint>
#include <experimental/simd>

namespace nasvm::ep {

using Words = std::experimental::native_simd<std::uint64_t>;
/// As many as Words has: AVX without AVX2 has longer vectors of doubles than of integers.
using Reals = std::experimental::simd<double, std::experimental::simd_abi::deduce_t<double, Words::size()>>;
static_assert(Reals::size() == Words::size());

inline constexpr std::size_t lanes = Reals::size();

[[gnu::always_inline]] inline Reals as_reals(Words bits) { return std::bit_cast<Reals>(bits); }
[[gnu::always_inline]] inline Words as_words(Reals value) { return std::bit_cast<Words>(value); }

/// Bits that a 46-bit state is shifted left by: products of 64-bit words then are those modulo 2^46.
inline constexpr int state_shift = 64 - 46;

/// 2r - 1 for the uniform r of a shifted state, exactly: the state's bits become the fraction of a number in
/// [1, 2). 4 operations.
[[gnu::always_inline]] inline Reals centred_uniform(Words shifted_state) {
  constexpr std::uint64_t bits_of_one = std::bit_cast<std::uint64_t>(1.0);
  return 2.0 * as_reals((shifted_state >> 12) | Words(bits_of_one)) - 3.0;
}

/// ln(1 + f) for |f| < 0.1225, relative error below 3e-17 before rounding: minimax polynomial for
/// (ln(1 + f) - f) / f^2, in two chains (even and odd powers) that the processor can overlap. 25 operations.
[[gnu::always_inline]] inline Reals log_near_one(Reals f) {
  const Reals g = f * f;
  Reals odd = 0x1.2ed55b81b58c4p-4;
  Reals even = -0x1.605d867328e27p-4;
  odd = odd * g + 0x1.74f4a36f35adap-4;
  even = even * g + -0x1.9971d47a796fdp-4;
  odd = odd * g + 0x1.c71a74f1261c2p-4;
  even = even * g + -0x1.0000214b9f567p-3;
  odd = odd * g + 0x1.24924a83cc7efp-3;
  even = even * g + -0x1.5555553bd9580p-3;
  odd = odd * g + 0x1.99999998d9875p-3;
  even = even * g + -0x1.00000000039d4p-2;
  odd = odd * g + 0x1.555555555563bp-2;
  even = even * g + -0x1.ffffffffffffdp-2;
  return f + g * (odd * f + even);
}

/// -2 ln t for normal t > 0, relative error a few units in the last place. t = 2^e m with m in [sqrt(1/2),
/// sqrt(2)); m is brought to within 2^(+-1/6) of one by a factor of 2^(+-1/3) where it is not there already. 44
/// operations.
[[gnu::always_inline]] inline Reals minus_two_log(Reals t) {
  constexpr std::uint64_t bits_of_one = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::uint64_t bits_of_lowest = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);  // sqrt(1/2)
  constexpr std::uint64_t fraction_mask = 0x000fffffffffffff;
  constexpr std::uint64_t bits_of_two_to_52 = std::bit_cast<std::uint64_t>(0x1p52);
  constexpr double sixth_root_of_half = 0.8908987181403393;
  constexpr double sixth_root_of_two = 1.122462048309373;
  constexpr double cube_root_of_two = 1.2599210498948732;
  constexpr double cube_root_of_half = 0.7937005259840998;
  constexpr double ln_two = 0.69314718055994531;

  const Words shifted = as_words(t) + (bits_of_one - bits_of_lowest);
  Reals exponent = as_reals((shifted >> 52) | Words(bits_of_two_to_52)) - (0x1p52 + 1023);
  const Reals m = as_reals((shifted & Words(fraction_mask)) + bits_of_lowest);
  Reals factor = 1.0;
  const auto low = m < sixth_root_of_half;
  const auto high = m > sixth_root_of_two;
  where(low, factor) = cube_root_of_two;
  where(low, exponent) = exponent - 1.0 / 3.0;
  where(high, factor) = cube_root_of_half;
  where(high, exponent) = exponent + 1.0 / 3.0;
  return -2.0 * log_near_one(m * factor - 1.0) - (2.0 * ln_two) * exponent;
}

/// 1 / sqrt(a) for normal a > 0, relative error a few units in the last place; something finite for a = 0. From a
/// guess within 3.5 % (halve and negate the exponent), one Newton step of fourth and one of third order. 20
/// operations.
[[gnu::always_inline]] inline Reals inverse_sqrt(Reals a) {
  constexpr std::uint64_t guess = 0x5fe6eb50c7b537a9;
  Reals y = as_reals(Words(guess) - (as_words(a) >> 1));
  Reals h = 1.0 - (a * y) * y;
  y = y + (y * h) * (0.5 + h * (0.375 + h * 0.3125));
  h = 1.0 - (a * y) * y;
  return y + (y * h) * (0.5 + h * 0.375);
}

}  // namespace nasvm::ep
