// Splitting keys by owner with AVX-512, which is chosen at run time: this file's functions may use it whatever the
// rest is compiled for.

#include "kernels/is/splitting.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 warns of values that its own header leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// All that splitting_vectors.hpp includes: none of it is to be compiled for these instructions.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "kernels/is/counting.hpp"

#pragma GCC push_options
#pragma GCC target("avx512f,popcnt")

#include "kernels/is/splitting_vectors.hpp"

namespace nasvm::is {
namespace {

struct Avx512Keys {
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t most_owners_at_once = 8;
  using Keys = __m512i;

  [[gnu::always_inline]] static Keys load(const Key* at) { return _mm512_loadu_si512(at); }
  [[gnu::always_inline]] static unsigned below(Keys keys, Key bound) {
    return _mm512_cmplt_epu32_mask(keys, _mm512_set1_epi32(static_cast<int>(bound)));
  }
  [[gnu::always_inline]] static void store_in_front(Key* to, Keys keys, unsigned chosen) {
    // Zen 4's instruction waits for what its register held before, even where that is not kept, and compilers take
    // the same register each time: then keys for one owner wait for those for the last. Not so where the register is
    // a copy of one that is nought.
    Keys front = _mm512_setzero_si512();
    asm("" : "+v"(front));
    _mm512_storeu_si512(to, _mm512_mask_compress_epi32(front, static_cast<__mmask16>(chosen), keys));
  }
};

}  // namespace

bool avx512_available() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"); }

void split_avx512(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  split_by_vectors<Avx512Keys>(keys, owners, next);
}

}  // namespace nasvm::is

#pragma GCC pop_options
#pragma GCC diagnostic pop

#else

#include <stdexcept>

namespace nasvm::is {

bool avx512_available() { return false; }
void split_avx512(std::span<const Key>, const KeyOwners&, std::span<Key*>) {
  throw std::logic_error("this processor has no AVX-512");
}

}  // namespace nasvm::is

#endif
