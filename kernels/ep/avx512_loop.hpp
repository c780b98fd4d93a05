#pragma once
/// \file
/// The loop of EP on AVX-512, for two kinds of generators (tally_avx512.cpp, tally_ifma.cpp). It is compiled for the
/// instructions that whoever includes it has told the compiler it may use (`#pragma GCC target`), after the headers
/// below. Differences to the portable loop, besides compaction (compacting_loop.hpp):
///
/// - The logarithm takes the mantissa to within 1/32 of one by a table of 16 entries that lives in registers.
/// - The inverse square root starts from the processor's guess of 14 bits.
///
/// A Generator knows eight states of 46 bits in the lanes of a vector:
///     state_shift, other_bits           a lane's word: the state, shifted left by so many bits, and these bits
///     number(states)                    twice the uniforms plus two, as doubles in [2, 4)
///     product(states, factor)           the states times a number, modulo 2^46

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/common/random.hpp"
#include "kernels/ep/compacting_loop.hpp"

namespace nasvm::ep {
namespace {

inline constexpr std::size_t lanes = 8;

/// Four vectors, and operations on all of them.
struct Quad {
  __m512d v[quad];
};

[[gnu::always_inline]] inline Quad load(const double* at) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = _mm512_load_pd(at + i * lanes);
  return result;
}

[[gnu::always_inline]] inline Quad operator*(const Quad& a, const Quad& b) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = a.v[i] * b.v[i];
  return result;
}

/// a b + c.
[[gnu::always_inline]] inline Quad multiply_add(const Quad& a, const Quad& b, const Quad& c) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = _mm512_fmadd_pd(a.v[i], b.v[i], c.v[i]);
  return result;
}
[[gnu::always_inline]] inline Quad multiply_add(const Quad& a, const Quad& b, double c) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = _mm512_fmadd_pd(a.v[i], b.v[i], _mm512_set1_pd(c));
  return result;
}
[[gnu::always_inline]] inline Quad multiply_add(double a, const Quad& b, const Quad& c) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = _mm512_fmadd_pd(_mm512_set1_pd(a), b.v[i], c.v[i]);
  return result;
}
[[gnu::always_inline]] inline Quad multiply_add(double a, const Quad& b, double c) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) {
    result.v[i] = _mm512_fmadd_pd(_mm512_set1_pd(a), b.v[i], _mm512_set1_pd(c));
  }
  return result;
}

/// 1 - a b.
[[gnu::always_inline]] inline Quad one_minus_product(const Quad& a, const Quad& b) {
  Quad result;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) result.v[i] = _mm512_fnmadd_pd(a.v[i], b.v[i], _mm512_set1_pd(1));
  return result;
}

/// -2 ln t for t in (0, 1], relative error a few units in the last place; positive, if tiny, for t = 1.
/// t = 2^e m with m in [1, 2); m's leading four bits choose c so that m c = 1 + r with |r| < 1/32.
[[gnu::always_inline]] inline Quad minus_two_log(const Quad& t) {
  // The inverses of the middles of sixteen parts of [1, 2), but for the last, which is 1/2 so that there is no
  // rounding where t is close to one. The first logarithm is rounded up, which makes that of t = 1 positive.
  alignas(64) static constexpr double inverses[16]{32. / 33, 32. / 35, 32. / 37, 32. / 39, 32. / 41, 32. / 43,
                                                   32. / 45, 32. / 47, 32. / 49, 32. / 51, 32. / 53, 32. / 55,
                                                   32. / 57, 32. / 59, 32. / 61, 1. / 2};
  alignas(64) static constexpr double twice_log_inverses[16]{
      -0x1.f829b0e7832f7p-5, -0x1.6f0d28ae56b4ep-3, -0x1.29552f81ff521p-2, -0x1.9525a9cf456b6p-2,
      -0x1.fb9186d5e3e29p-2, -0x1.2e8e2bae11d31p-1, -0x1.5d1bdbf5809cap-1, -0x1.89a3386c1425bp-1,
      -0x1.b44f77bcc8f64p-1, -0x1.dd46a04c1c4a1p-1, -0x1.02552a5a5d0ffp+0, -0x1.154c3d2f4d5eap+0,
      -0x1.2795e1289b11bp+0, -0x1.393e0d3562a1ap+0, -0x1.4a4f85db03ebbp+0, -0x1.62e42fefa39efp+0};
  constexpr double minus_two_ln_two = -0x1.62e42fefa39efp+0;
  Quad r, offset;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) {
    const __m512i part = _mm512_srli_epi64(_mm512_castpd_si512(t.v[i]), 48);
    const __m512d m = _mm512_getmant_pd(t.v[i], _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    const __m512d c = _mm512_permutex2var_pd(_mm512_load_pd(inverses), part, _mm512_load_pd(inverses + lanes));
    r.v[i] = _mm512_fmsub_pd(m, c, _mm512_set1_pd(1));
    const __m512d twice_log_c =
        _mm512_permutex2var_pd(_mm512_load_pd(twice_log_inverses), part, _mm512_load_pd(twice_log_inverses + lanes));
    offset.v[i] = _mm512_fmadd_pd(_mm512_getexp_pd(t.v[i]), _mm512_set1_pd(minus_two_ln_two), twice_log_c);
  }
  // Minimax polynomial for (2 r - 2 ln(1 + r)) / r^2, odd and even powers in a chain each.
  const Quad g = r * r;
  Quad odd = multiply_add(-0x1.c7d6d6880307cp-3, g, -0x1.24923a9363f54p-2);
  Quad even = multiply_add(0x1.006683c32b3a0p-2, g, 0x1.5555454f53a61p-2);
  odd = multiply_add(odd, g, -0x1.9999999a5415cp-2);
  even = multiply_add(even, g, 0x1.0000000066907p-1);
  odd = multiply_add(odd, g, -0x1.555555555554ap-1);
  even = multiply_add(even, g, 0x1.ffffffffffff3p-1);
  return multiply_add(multiply_add(odd, r, even), g, multiply_add(-2, r, offset));
}

/// sqrt(w / t), relative error a few units in the last place: w times the inverse square root of w t, which one
/// Newton step of fourth order takes from 14 bits to 56.
[[gnu::always_inline]] inline Quad sqrt_of_quotient(const Quad& w, const Quad& t) {
  const Quad product = w * t;
  Quad y;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) y.v[i] = _mm512_rsqrt14_pd(product.v[i]);
  const Quad guess = w * y;
  const Quad h = one_minus_product(product * y, y);
  const Quad step = multiply_add(h, multiply_add(0.3125, h, 0.375), 0.5);
  return multiply_add(guess * h, step, guess);
}

/// The loop (compacting_loop.hpp) with a kind of generators.
template <typename Generator>
struct Avx512Loop {
  static constexpr std::size_t lanes = ep::lanes;
  static constexpr std::size_t streams = lanes;
  using Numbers = __m512d;
  using States = __m512i;
  using Sums = LaneSums<Avx512Loop>;

  static States states_of(const std::array<std::uint64_t, streams>& states) {
    alignas(64) std::array<std::uint64_t, streams> words;
    for (std::size_t i = 0; i < streams; ++i) {
      words[i] = Generator::other_bits | states[i] << Generator::state_shift;
    }
    return _mm512_load_si512(words.data());
  }

  [[gnu::always_inline]] static States generate_pairs(States states, AcceptedPairs<lanes>& pairs) {
    const __m512i multiplier = _mm512_set1_epi64(NpbRandom::multiplier);
    const __m512i jump = _mm512_set1_epi64(NpbRandom::power(NpbRandom::multiplier, 2 * lanes));
    // Less three is in [-1, 1): a subtraction, as multiply-adds and products wait for the same two ports.
    const __m512d three = _mm512_set1_pd(3);
    std::size_t count = pairs.count;
    for (std::size_t i = 0; i < block_vectors; ++i) {
      const __m512d x = _mm512_sub_pd(Generator::number(states), three);
      const __m512d y = _mm512_sub_pd(Generator::number(Generator::product(states, multiplier)), three);
      states = Generator::product(states, jump);
      const __m512d t = _mm512_fmadd_pd(y, y, x * x);
      const __mmask8 accepted = _mm512_cmp_pd_mask(t, _mm512_set1_pd(1), _CMP_LE_OQ);
      _mm512_storeu_pd(pairs.x + count, _mm512_maskz_compress_pd(accepted, x));
      _mm512_storeu_pd(pairs.y + count, _mm512_maskz_compress_pd(accepted, y));
      count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(accepted)));
    }
    pairs.count = count;
    return states;
  }

  [[gnu::always_inline]] static Sums add_deviates(const double* xs, const double* ys, Sums sums) {
    alignas(64) static constexpr std::uint64_t one_in_annulus[16]{
        1, 1ULL << 6, 1ULL << 12, 1ULL << 18, 1ULL << 24, 1ULL << 30, 1ULL << 36, 1ULL << 42, 1ULL << 48, 1ULL << 54};
    static_assert(count_bits == 6 && annuli == 10);
    constexpr int larger_magnitude = 0b1011;
    const Quad x = load(xs);
    const Quad y = load(ys);
    const Quad t = multiply_add(y, y, x * x);
    const Quad factor = sqrt_of_quotient(minus_two_log(t), t);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < quad; ++i) {
      sums.sx = _mm512_fmadd_pd(x.v[i], factor.v[i], sums.sx);
      sums.sy = _mm512_fmadd_pd(y.v[i], factor.v[i], sums.sy);
      // Added to 2^52 without rounding up, max(|X|, |Y|) leaves its whole part in the lowest bits.
      const __m512d shifted = _mm512_fmadd_round_pd(_mm512_range_pd(x.v[i], y.v[i], larger_magnitude), factor.v[i],
                                                    _mm512_set1_pd(0x1p52), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
      const __m512i count = _mm512_permutex2var_epi64(_mm512_load_si512(one_in_annulus), _mm512_castpd_si512(shifted),
                                                      _mm512_load_si512(one_in_annulus + lanes));
      sums.packed_counts += reinterpret_cast<Words<lanes>>(count);
    }
    return sums;
  }

  static void to_factors(double* t) {
    const Quad quads = load(t);
    const Quad factors = sqrt_of_quotient(minus_two_log(quads), quads);
    for (std::size_t i = 0; i < quad; ++i) _mm512_store_pd(t + i * lanes, factors.v[i]);
  }
};

}  // namespace
}  // namespace nasvm::ep
