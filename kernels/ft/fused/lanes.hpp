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

#if defined(__AVX512F__)
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
/// Stores past the caches where a vector is a whole cache line (`to` is aligned to one); otherwise like store().
/// Lines that are written completely need not be read first.
[[gnu::always_inline]] inline void stream(double* to, Reals value) {
#if defined(__AVX512F__)
  if constexpr (vector_lines == 8) {
    _mm512_stream_pd(to, std::bit_cast<__m512d>(value));
    return;
  }
#endif
  store(to, value);
}

/// The part of a block that begins at `from`.
[[gnu::always_inline]] inline Point load_point(const double* from) { return {load(from), load(from + block_lines)}; }
[[gnu::always_inline]] inline void store_point(double* to, const Point& point) {
  store(to, point.re);
  store(to + block_lines, point.im);
}
[[gnu::always_inline]] inline void stream_point(double* to, const Point& point) {
  stream(to, point.re);
  stream(to + block_lines, point.im);
}

/// The inverse transform is the forward one between two of these.
[[gnu::always_inline]] inline Point swapped(const Point& point) { return {point.im, point.re}; }

/// Asks for both cache lines of a block that will be read soon, into the second cache: the blocks that a line's next
/// ones are would push its buffer out of the first.
[[gnu::always_inline]] inline void prefetch_block(const double* block) {
  constexpr int into_second_cache = 2;
  __builtin_prefetch(block, 0, into_second_cache);
  __builtin_prefetch(block + block_lines, 0, into_second_cache);
}

using RealsArray = std::array<Reals, static_cast<std::size_t>(vector_lines)>;

/// The vector type below Reals, whose elements the compiler can shuffle.
using RawReals [[gnu::vector_size(sizeof(Reals))]] = double;

/// Elements a[first] b[first] a[first + 1] b[first + 1] ..., as many as a vector has (`i` counts them).
template <std::size_t first, std::size_t... i>
[[gnu::always_inline]] inline Reals interleave(Reals a, Reals b, std::index_sequence<i...>) {
  const auto raw_a = std::bit_cast<RawReals>(a);
  const auto raw_b = std::bit_cast<RawReals>(b);
  return std::bit_cast<Reals>(__builtin_shufflevector(raw_a, raw_b, (first + i / 2 + i % 2 * sizeof...(i))...));
}

/// Element j of vector i becomes element i of vector j: log2(vector_lines) rounds, each of which interleaves the
/// vectors of the first half with those of the second (a perfect shuffle of the whole matrix; that many make a
/// transpose).
[[gnu::always_inline]] inline void transpose(RealsArray& rows) {
  constexpr auto size = static_cast<std::size_t>(vector_lines);
  constexpr std::size_t half = size / 2;
  constexpr auto elements = std::make_index_sequence<size>();
  for (std::size_t round = 1; round < size; round *= 2) {
    const RealsArray old = rows;
    for (std::size_t i = 0; i < half; ++i) {
      rows[2 * i] = interleave<0>(old[i], old[i + half], elements);
      rows[2 * i + 1] = interleave<half>(old[i], old[i + half], elements);
    }
  }
}

}  // namespace nasvm::ft
