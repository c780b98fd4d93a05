// Generators for every AVX-512: a state is kept shifted left by 18 bits, so that the overflow of a 64-bit product is
// the modulus. Whatever the rest is compiled for, this file's functions may use those instructions.

#include "kernels/ep/tally_x86.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 warns of values that its own header leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// All that avx512_loop.hpp includes: none of it is to be compiled for these instructions.
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
#pragma GCC target("avx512f,avx512dq")

#include "kernels/ep/avx512_loop.hpp"

namespace nasvm::ep {
namespace {

struct ByProduct {
  static constexpr int state_shift = 64 - 46;
  static constexpr std::uint64_t other_bits = 0;

  [[gnu::always_inline]] static __m512d number(__m512i states) {
    const __m512i two = _mm512_castpd_si512(_mm512_set1_pd(2));
    return _mm512_castsi512_pd(_mm512_or_si512(_mm512_srli_epi64(states, 12), two));
  }
  [[gnu::always_inline]] static __m512i product(__m512i states, __m512i factor) {
    return _mm512_mullo_epi64(states, factor);
  }
};

}  // namespace

bool avx512_available() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }

Tally tally_avx512(Range batches) { return tally_with<Avx512Loop<ByProduct>>(batches); }

void deviate_factors_avx512(std::span<double> t) { deviate_factors<Avx512Loop<ByProduct>>(t); }

}  // namespace nasvm::ep

#pragma GCC pop_options
#pragma GCC diagnostic pop

#else

#include <stdexcept>

namespace nasvm::ep {

bool avx512_available() { return false; }
Tally tally_avx512(Range) { throw std::logic_error("this processor has no AVX-512"); }
void deviate_factors_avx512(std::span<double>) { throw std::logic_error("this processor has no AVX-512"); }

}  // namespace nasvm::ep

#endif
