// Splitting keys by owner with AVX2, which is chosen at run time: this file's functions may use it whatever the rest
// is compiled for.

#include "kernels/is/splitting.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// All that splitting_vectors.hpp includes: none of it is to be compiled for these instructions.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "kernels/is/counting.hpp"

#pragma GCC push_options
#pragma GCC target("avx2,popcnt")

#include "kernels/is/splitting_vectors.hpp"

namespace nasvm::is {
namespace {

/// For each set of lanes these lanes, the first one in the lowest bits, eight bits each.
constexpr std::array<std::uint64_t, 256> chosen_lanes = [] {
  std::array<std::uint64_t, 256> result{};
  for (std::uint64_t set = 0; set < result.size(); ++set) {
    int next = 0;
    for (std::uint64_t lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) result[set] |= lane << (8 * next++);
    }
  }
  return result;
}();

struct Avx2Keys {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t most_owners_at_once = 5;
  using Keys = __m256i;

  [[gnu::always_inline]] static Keys load(const Key* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
  /// There is only a comparison of signed numbers; adding 2^31 to both keeps their order.
  [[gnu::always_inline]] static unsigned below(Keys keys, Key bound) {
    constexpr Key half = Key{1} << 31;
    const __m256i halves = _mm256_set1_epi32(static_cast<int>(half));
    const __m256i less =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(bound ^ half)), _mm256_xor_si256(keys, halves));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(less)));
  }
  [[gnu::always_inline]] static void store_in_front(Key* to, Keys keys, unsigned chosen) {
    const __m256i lanes_of =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&chosen_lanes[chosen])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(keys, lanes_of));
  }
};

}  // namespace

bool avx2_available() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

void split_avx2(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  split_by_vectors<Avx2Keys>(keys, owners, next);
}

}  // namespace nasvm::is

#pragma GCC pop_options

#else

#include <stdexcept>

namespace nasvm::is {

bool avx2_available() { return false; }
void split_avx2(std::span<const Key>, const KeyOwners&, std::span<Key*>) {
  throw std::logic_error("this processor has no AVX2");
}

}  // namespace nasvm::is

#endif
