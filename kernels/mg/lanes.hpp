#pragma once
/// \file
/// Vectors of doubles as wide as the target's registers, for loops in which neighbours in x are needed: these come
/// from the neighbouring vectors by a shuffle instead of from memory. GNU vectors, because std::experimental::simd
/// has no shuffles of two vectors; every processor that g++ knows is supported. Without vector registers there is one
/// lane.

#include <cstddef>
#include <cstring>
#include <experimental/simd>
#include <utility>

namespace nasvm::mg {

#ifdef NASVM_MG_LANES  // tests compile what other processors get
inline constexpr int lanes = NASVM_MG_LANES;
#else
inline constexpr int lanes = static_cast<int>(std::experimental::native_simd<double>::size());
#endif
using Lanes [[gnu::vector_size(sizeof(double) * lanes)]] = double;

[[gnu::always_inline]] inline Lanes load(const double* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

[[gnu::always_inline]] inline void store(double* to, Lanes value) { std::memcpy(to, &value, sizeof value); }

/// Lanes begin, begin + step, ... of a and b, which are numbered as one.
template <int begin, int step>
[[gnu::always_inline]] inline Lanes select(Lanes a, Lanes b) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return __builtin_shufflevector(a, b, (begin + step * static_cast<int>(i))...);
  }
  (std::make_index_sequence<lanes>{});
}

/// The values one to the left of `here`, whose left neighbour is `before`.
[[gnu::always_inline]] inline Lanes left_of(Lanes before, Lanes here) { return select<lanes - 1, 1>(before, here); }
/// The values one to the right of `here`, whose right neighbour is `after`.
[[gnu::always_inline]] inline Lanes right_of(Lanes here, Lanes after) { return select<1, 1>(here, after); }

/// Of two neighbouring vectors: the right neighbours of the first one's values, the left neighbours of the second's.
struct Neighbours {
  Lanes of_first;
  Lanes of_second;
};
[[gnu::always_inline]] inline Neighbours neighbours_of(Lanes first, Lanes second) {
  if constexpr (lanes != 4) return {right_of(first, second), left_of(first, second)};
  // 256 bits are two halves, and to cross them costs most: both take what has crossed once.
  const Lanes middle = select<lanes / 2, 1>(first, second);
  const auto odds_then_evens = [](Lanes a, Lanes b) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return __builtin_shufflevector(a, b, (i % 2 == 0 ? i + 1 : lanes + i - 1)...);
    }
    (std::make_index_sequence<lanes>{});
  };
  return {odds_then_evens(first, middle), odds_then_evens(middle, second)};
}

[[gnu::always_inline]] inline Lanes evens_of(Lanes a, Lanes b) { return select<0, 2>(a, b); }
[[gnu::always_inline]] inline Lanes odds_of(Lanes a, Lanes b) { return select<1, 2>(a, b); }

/// Of the lanes of a and b alternating, a first, those from `first` on.
template <int first>
[[gnu::always_inline]] inline Lanes interleave(Lanes a, Lanes b) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return __builtin_shufflevector(
        a, b, ((first + static_cast<int>(i)) / 2 + ((first + static_cast<int>(i)) % 2 == 0 ? 0 : lanes))...);
  }
  (std::make_index_sequence<lanes>{});
}
[[gnu::always_inline]] inline Lanes interleave_low(Lanes a, Lanes b) { return interleave<0>(a, b); }
[[gnu::always_inline]] inline Lanes interleave_high(Lanes a, Lanes b) { return interleave<lanes>(a, b); }

[[gnu::always_inline]] inline double sum_of(Lanes value) {
  double sum = 0;
  for (int i = 0; i < lanes; ++i) sum += value[i];
  return sum;
}

}  // namespace nasvm::mg
