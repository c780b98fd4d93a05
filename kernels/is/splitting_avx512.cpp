// Splitting keys by owner with AVX-512, which is chosen at run time: this file's functions may use it whatever the
// rest is compiled for.

#include "kernels/is/counting.hpp"
#include "kernels/is/splitting.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 warns of values that its own header leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#pragma GCC push_options
#pragma GCC target("avx512f,popcnt")

namespace nasvm::is {
namespace {

constexpr std::size_t lanes = 16;
static_assert(lanes <= overshoot_keys);

/// Splits the lanes of `keys`. `next` has as many owners as `bounds` has ranges.
[[gnu::always_inline]] inline void split_lanes(__m512i keys, std::span<const Key> bounds, std::span<Key*> next) {
  unsigned left = 0xffff;  // lanes whose keys are not below the owner's range
#pragma GCC unroll 8
  for (std::size_t owner = 0; owner < next.size(); ++owner) {
    const __m512i end = _mm512_set1_epi32(static_cast<int>(bounds[owner + 1]));
    const unsigned beyond = _mm512_cmpge_epu32_mask(keys, end);
    const unsigned owned = left & ~beyond;
    _mm512_storeu_si512(next[owner], _mm512_maskz_compress_epi32(static_cast<__mmask16>(owned), keys));
    next[owner] += std::popcount(owned);
    left = beyond;
  }
}

/// Splits whole vectors of keys among `owners` owners, a number that the compiler knows, so that it keeps all that
/// concerns them in registers. Returns the number of keys done.
template <std::size_t owners>
std::size_t split_vectors(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  std::array<Key, owners + 1> own_bounds;
  std::array<Key*, owners> own_next;
  std::copy_n(bounds.begin(), owners + 1, own_bounds.begin());
  std::copy_n(next.begin(), owners, own_next.begin());
  std::size_t i = 0;
  for (; i + lanes <= keys.size(); i += lanes) {
    prefetch_stream(keys.data() + i);
    split_lanes(_mm512_loadu_si512(keys.data() + i), own_bounds, own_next);
  }
  std::copy_n(own_next.begin(), owners, next.begin());
  return i;
}

/// The same for any number of owners.
std::size_t split_vectors_any(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  std::size_t i = 0;
  for (; i + lanes <= keys.size(); i += lanes) {
    prefetch_stream(keys.data() + i);
    split_lanes(_mm512_loadu_si512(keys.data() + i), bounds, next);
  }
  return i;
}

constexpr std::array split_vectors_by_owners{split_vectors<1>, split_vectors<2>, split_vectors<3>, split_vectors<4>,
                                             split_vectors<5>, split_vectors<6>, split_vectors<7>, split_vectors<8>};

}  // namespace

bool avx512_available() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"); }

void split_avx512(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  const bool few = next.size() <= split_vectors_by_owners.size();
  const auto split_vectors_fast = few ? split_vectors_by_owners[next.size() - 1] : split_vectors_any;
  const std::size_t done = split_vectors_fast(keys, owners.bounds(), next);
  split_plain(keys.subspan(done), owners, next);
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
