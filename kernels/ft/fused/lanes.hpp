#pragma once
/// \file
/// Eight lines side by side: how the fused engine stores complex numbers, and the vector operations on them.
///
/// A *block* is one point of eight neighbouring lines: eight real parts, then eight imaginary parts (two cache
/// lines). One-dimensional transforms work on all eight lines at once, a line in each lane of a vector, so that
/// they never shuffle lanes. The layout does not depend on the processor; where vectors are narrower than eight
/// (`vector_lines`), a block is worked off in several parts.
///
/// Everything here must be inlined into the loops, hence the attributes.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <experimental/simd>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace nasvm::ft {

using Reals = std::experimental::native_simd<double>;

/// Lines in a block.
inline constexpr std::int64_t block_lines = 8;
/// Doubles in a block.
inline constexpr std::int64_t block_doubles = 2 * block_lines;
/// Doubles from the start of a row, which consists of blocks along x, to the real part of x.
constexpr std::int64_t place_in_row(std::int64_t x) { return x / block_lines * block_doubles + x % block_lines; }
/// Lines that the processor transforms at once.
inline constexpr std::int64_t vector_lines = static_cast<std::int64_t>(Reals::size());
static_assert(block_lines % vector_lines == 0, "a block consists of whole vectors");

/// One point of `vector_lines` lines.
struct Point {
  Reals re;
  Reals im;
};

template <std::size_t count>
using Points = std::array<Point, count>;

[[gnu::always_inline]] inline Reals load(const double* from) {
  return Reals(from, std::experimental::element_aligned);
}
[[gnu::always_inline]] inline void store(double* to, Reals value) {
  value.copy_to(to, std::experimental::element_aligned);
}
/// The part of a block that begins at `from`.
[[gnu::always_inline]] inline Point load_point(const double* from) { return {load(from), load(from + block_lines)}; }
[[gnu::always_inline]] inline void store_point(double* to, const Point& point) {
  store(to, point.re);
  store(to + block_lines, point.im);
}
/// Copies `doubles` doubles, whole blocks, from the cache: past the caches where AVX can, so that lines, which are
/// written completely, need not be read first. Both on a cache line.
[[gnu::always_inline]] inline void stream_out(double* to, const double* from, std::int64_t doubles) {
  for (std::int64_t i = 0; i < doubles; i += vector_lines) {
    const Reals value = load(from + i);
#if defined(__AVX512F__)
    _mm512_stream_pd(to + i, std::bit_cast<__m512d>(value));
#elif defined(__AVX__)
    _mm256_stream_pd(to + i, std::bit_cast<__m256d>(value));
#else
    store(to + i, value);
#endif
  }
}

/// The inverse transform is the forward one between two of these.
[[gnu::always_inline]] inline Point swapped(const Point& point) { return {point.im, point.re}; }

/// Asks for a block that will be read soon, into the second cache: the blocks that a line's next ones are would push
/// its buffer out of the first. Where a block is worked off in several parts, the first half of them asks for its
/// first cache line, the other half for its second.
[[gnu::always_inline]] inline void prefetch_block(const double* block, std::int64_t part) {
  constexpr int into_second_cache = 2;
  if constexpr (vector_lines == block_lines) {
    __builtin_prefetch(block, 0, into_second_cache);
    __builtin_prefetch(block + block_lines, 0, into_second_cache);
  } else {
    __builtin_prefetch(block + 2 * part, 0, into_second_cache);
  }
}

using RealsArray = std::array<Reals, static_cast<std::size_t>(vector_lines)>;

/// The vector type below Reals, whose elements the compiler can shuffle.
using RawReals [[gnu::vector_size(sizeof(Reals))]] = double;

/// Exchanges between two vectors the elements of a that are at places with a bit `distance` with those of b that are
/// that far before them.
template <std::size_t distance, std::size_t... i>
[[gnu::always_inline]] inline void exchange(Reals& a, Reals& b, std::index_sequence<i...> /*places*/) {
  constexpr std::size_t size = sizeof...(i);
  const auto raw_a = std::bit_cast<RawReals>(a);
  const auto raw_b = std::bit_cast<RawReals>(b);
  a = std::bit_cast<Reals>(__builtin_shufflevector(raw_a, raw_b, ((i & distance) == 0 ? i : size + i - distance)...));
  b = std::bit_cast<Reals>(__builtin_shufflevector(raw_a, raw_b, ((i & distance) == 0 ? i + distance : size + i)...));
}

/// Element j of vector i becomes element i of vector j: for each bit of a place, elements that have it in one of i
/// and j only change sides. With distances of one and of half a vector that is one instruction for each vector.
template <std::size_t distance = 1>
[[gnu::always_inline]] inline void transpose(RealsArray& rows) {
  constexpr auto size = static_cast<std::size_t>(vector_lines);
  if constexpr (distance < size) {
    for (std::size_t i = 0; i < size; ++i) {
      if ((i & distance) == 0) exchange<distance>(rows[i], rows[i + distance], std::make_index_sequence<size>());
    }
    transpose<2 * distance>(rows);
  }
}

}  // namespace nasvm::ft
