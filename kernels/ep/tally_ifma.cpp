// Generators for AVX-512 with integer fused multiply-add (IFMA): a state, shifted left by 6, is the low 52 bits of a
// word. The multiply-add forms the low 52 bits of a product, which is the modulus, and adds the bits of 2.0: one
// instruction makes the next double in [2, 4), whose fraction is at the same time the next state. Whatever the rest
// is compiled for, this file's functions may use those instructions.

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
#pragma GCC target("avx512f,avx512dq,avx512ifma")

#include "kernels/ep/avx512_loop.hpp"

namespace nasvm::ep {
namespace {

struct ByFusedMultiplyAdd {
  static constexpr int state_shift = 52 - 46;
  static constexpr std::uint64_t other_bits = std::bit_cast<std::uint64_t>(2.0);

  [[gnu::always_inline]] static __m512d number(__m512i states) { return _mm512_castsi512_pd(states); }
  [[gnu::always_inline]] static __m512i product(__m512i states, __m512i factor) {
    return _mm512_madd52lo_epu64(_mm512_castpd_si512(_mm512_set1_pd(2)), states, factor);
  }
};

}  // namespace

bool ifma_available() { return avx512_available() && __builtin_cpu_supports("avx512ifma"); }

Tally tally_ifma(Range batches) { return tally_with<Avx512Loop<ByFusedMultiplyAdd>>(batches); }

}  // namespace nasvm::ep

#pragma GCC pop_options
#pragma GCC diagnostic pop

#else

#include <stdexcept>

namespace nasvm::ep {

bool ifma_available() { return false; }
Tally tally_ifma(Range) { throw std::logic_error("this processor has no IFMA"); }

}  // namespace nasvm::ep

#endif
