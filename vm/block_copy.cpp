#include "vm/block_copy.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nasvm {

#ifdef __SSE2__

void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  std::size_t done = 0;
  for (; bytes - done >= line; done += line) {
    const auto* source = reinterpret_cast<const __m128i*>(from + done);
    auto* target = reinterpret_cast<__m128i*>(to + done);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_storeu_si128(target, a);
    _mm_storeu_si128(target + 1, b);
    _mm_storeu_si128(target + 2, c);
    _mm_storeu_si128(target + 3, d);
    // Else the compiler finds a copy here, and calls memcpy for it.
    asm volatile("" ::: "memory");
  }
  if (done != bytes) std::memcpy(to + done, from + done, bytes - done);
}

#else

void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

#endif

}  // namespace nasvm
