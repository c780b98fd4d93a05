// The loop of EP for processors with AVX2 and FMA but no AVX-512. AVX2 multiplies no 64-bit integers, so generators
// compute with doubles: a state is 2 r - 1 itself, in (-1, 1). As the multiplier is odd, the next one is
// multiplier * state minus the even number that is nearest to it. That number comes from rounding by a multiply-add
// with 1.5 * 2^53, whose neighbours are two apart; the remainder comes from another multiply-add, and is exact.
// States are odd multiples of 2^-45, so nothing ever lies halfway. Whatever the rest is compiled for, this file's
// functions may use those instructions.

#include "kernels/ep/tally_x86.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// All that compacting_loop.hpp includes: none of it is to be compiled for these instructions.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "kernels/common/random.hpp"
#include "kernels/ep/compensated_sum.hpp"
#include "kernels/ep/tally.hpp"

#pragma GCC push_options
#pragma GCC target("avx2,fma,popcnt")

#include "kernels/ep/compacting_loop.hpp"

namespace nasvm::ep {
namespace {

/// The vector that has `number` in all lanes.
[[gnu::always_inline]] inline __m256d all(double number) { return _mm256_set1_pd(number); }
[[gnu::always_inline]] inline __m256i all(std::uint64_t word) {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}

/// The states `factor` steps further on, that power of the multiplier; exact.
[[gnu::always_inline]] inline __m256d product(__m256d states, __m256d factor) {
  const __m256d two_apart = all(0x1.8p53);
  const __m256d nearest_even = _mm256_fmadd_pd(states, factor, two_apart) - two_apart;
  return _mm256_fmsub_pd(states, factor, nearest_even);
}

/// For each set of lanes, the halves of these lanes in front: what moves them there.
struct Compaction {
  alignas(32) std::array<std::array<std::int32_t, 8>, 16> halves{};
};
constexpr Compaction compaction = [] {
  Compaction result;
  for (unsigned set = 0; set < 16; ++set) {
    std::size_t next = 0;
    for (int lane = 0; lane < 4; ++lane) {
      if ((set >> lane & 1) == 0) continue;
      result.halves[set][next++] = 2 * lane;
      result.halves[set][next++] = 2 * lane + 1;
    }
  }
  return result;
}();

[[gnu::always_inline]] inline void store_in_front(double* to, __m256d numbers, __m256i halves) {
  const __m256 moved = _mm256_permutevar8x32_ps(_mm256_castpd_ps(numbers), halves);
  _mm256_storeu_pd(to, _mm256_castps_pd(moved));
}

/// Four vectors.
struct Quad {
  __m256d v[quad];
};

/// sqrt(-2 ln t / t) for t in (0, 1], relative error a few units in the last place; nought for t = 1. With t = 2^e m
/// and m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh(s) for s = (m - 1) / (m + 1); one division makes s and 1 / t.
[[gnu::always_inline]] inline Quad factors_of(const Quad& t) {
  constexpr auto bits_of_one = std::bit_cast<std::uint64_t>(1.0);
  constexpr auto bits_of_lowest = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);  // sqrt(1/2)
  constexpr std::uint64_t fraction_mask = 0x000fffffffffffff;
  constexpr auto bits_of_two_to_52 = std::bit_cast<std::uint64_t>(0x1p52);
  constexpr double minus_two_ln_two = -0x1.62e42fefa39efp+0;
  Quad exponent, m;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) {
    const __m256i shifted = _mm256_add_epi64(_mm256_castpd_si256(t.v[i]), all(bits_of_one - bits_of_lowest));
    const __m256i exponent_bits = _mm256_or_si256(_mm256_srli_epi64(shifted, 52), all(bits_of_two_to_52));
    exponent.v[i] = _mm256_castsi256_pd(exponent_bits) - all(0x1p52 + 1023);
    const __m256i m_bits = _mm256_add_epi64(_mm256_and_si256(shifted, all(fraction_mask)), all(bits_of_lowest));
    m.v[i] = _mm256_castsi256_pd(m_bits);
  }
  Quad s, inverse_t, z, sum;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) {
    const __m256d m_and_one = m.v[i] + all(1.0);
    const __m256d inverse = all(1.0) / (m_and_one * t.v[i]);
    s.v[i] = (m.v[i] - all(1.0)) * t.v[i] * inverse;
    inverse_t.v[i] = m_and_one * inverse;
    z.v[i] = s.v[i] * s.v[i];
    sum.v[i] = all(-0x1.2f4d88faff359p-2);
  }
  // -4 artanh(s) / s by powers of z: Chebyshev interpolation over [0, (3 - sqrt(8))^2], relative error 3e-18.
#pragma GCC unroll 7
  for (const double coefficient : {-0x1.3999bf5c2399fp-2, -0x1.7466994f5207cp-2, -0x1.c71c50004f156p-2,
                                   -0x1.2492494513f87p-1, -0x1.999999997aeaap-1, -0x1.55555555555aep+0, -4.0}) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < quad; ++i) sum.v[i] = _mm256_fmadd_pd(sum.v[i], z.v[i], all(coefficient));
  }
  Quad factors;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < quad; ++i) {
    const __m256d minus_two_log = _mm256_fmadd_pd(s.v[i], sum.v[i], exponent.v[i] * all(minus_two_ln_two));
    factors.v[i] = _mm256_sqrt_pd(minus_two_log * inverse_t.v[i]);
  }
  return factors;
}

struct Avx2Loop {
  static constexpr std::size_t lanes = 4;
  static constexpr std::size_t streams = quad * lanes;
  using Numbers = __m256d;
  struct States {
    __m256d vectors[quad];
  };
  using Sums = LaneSums<Avx2Loop>;

  static States states_of(const std::array<std::uint64_t, streams>& states) {
    States result;
    for (std::size_t i = 0; i < quad; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        result.vectors[i][lane] = 2 * (static_cast<double>(states[i * lanes + lane]) * 0x1p-46) - 1;
      }
    }
    return result;
  }

  [[gnu::always_inline]] static States generate_pairs(States states, AcceptedPairs<lanes>& pairs) {
    static_assert(block_vectors % quad == 0);
    const __m256d multiplier = all(double{NpbRandom::multiplier});
    constexpr auto jump_factor = static_cast<double>(NpbRandom::power(NpbRandom::multiplier, 2 * streams));
    const __m256d jump = all(jump_factor);
    std::size_t count = pairs.count;
    for (std::size_t i = 0; i < block_vectors; i += quad) {
#pragma GCC unroll 4
      for (__m256d& state : states.vectors) {
        const __m256d x = state;
        const __m256d y = product(x, multiplier);
        state = product(x, jump);
        const __m256d t = _mm256_fmadd_pd(y, y, x * x);
        const auto accepted = static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(t, all(1.0), _CMP_LE_OQ)));
        const auto* halves = reinterpret_cast<const __m256i*>(compaction.halves[accepted].data());
        store_in_front(pairs.x + count, x, _mm256_load_si256(halves));
        store_in_front(pairs.y + count, y, _mm256_load_si256(halves));
        count += static_cast<std::size_t>(std::popcount(accepted));
      }
    }
    pairs.count = count;
    return states;
  }

  [[gnu::always_inline]] static Sums add_deviates(const double* xs, const double* ys, Sums sums) {
    Quad x, y, t;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < quad; ++i) {
      x.v[i] = _mm256_load_pd(xs + i * lanes);
      y.v[i] = _mm256_load_pd(ys + i * lanes);
      t.v[i] = _mm256_fmadd_pd(y.v[i], y.v[i], x.v[i] * x.v[i]);
    }
    const Quad factors = factors_of(t);
    const __m256d sign = all(-0.0);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < quad; ++i) {
      sums.sx = _mm256_fmadd_pd(x.v[i], factors.v[i], sums.sx);
      sums.sy = _mm256_fmadd_pd(y.v[i], factors.v[i], sums.sy);
      // Less a half and added to 1.5 * 2^52, whose neighbours are one apart, max(|X|, |Y|) leaves its whole part in
      // the lowest bits (or one less, should it be an odd number exactly: the factor is not known to that).
      const __m256d larger = _mm256_max_pd(_mm256_andnot_pd(sign, x.v[i]), _mm256_andnot_pd(sign, y.v[i]));
      const __m256d annulus = _mm256_fmadd_pd(larger, factors.v[i], all(-0.5)) + all(0x1.8p52);
      const __m256i bits_before = _mm256_mul_epu32(_mm256_castpd_si256(annulus), all(count_bits));
      sums.packed_counts += reinterpret_cast<Words<lanes>>(_mm256_sllv_epi64(all(std::uint64_t{1}), bits_before));
    }
    return sums;
  }

  static void to_factors(double* t) {
    Quad quads;
    for (std::size_t i = 0; i < quad; ++i) quads.v[i] = _mm256_load_pd(t + i * lanes);
    const Quad factors = factors_of(quads);
    for (std::size_t i = 0; i < quad; ++i) _mm256_store_pd(t + i * lanes, factors.v[i]);
  }
};

}  // namespace

bool avx2_available() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
}

Tally tally_avx2(Range batches) { return tally_with<Avx2Loop>(batches); }

void deviate_factors_avx2(std::span<double> t) { deviate_factors<Avx2Loop>(t); }

}  // namespace nasvm::ep

#pragma GCC pop_options

#else

#include <stdexcept>

namespace nasvm::ep {

bool avx2_available() { return false; }
Tally tally_avx2(Range) { throw std::logic_error("this processor has no AVX2"); }
void deviate_factors_avx2(std::span<double>) { throw std::logic_error("this processor has no AVX2"); }

}  // namespace nasvm::ep

#endif
