#include "vm/streaming_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nasvm {

#ifdef __SSE2__
namespace {

constexpr std::size_t line = 64;

}  // namespace

void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;  // `from` may be null then
  // Whole lines go by themselves; what is left at either end would be a part of one.
  const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(to, from, head);
  const std::size_t whole = (bytes - head) / line * line;
  copy_lines_past_cache(to + head, from + head, whole);
  const std::size_t done = head + whole;
  std::memcpy(to + done, from + done, bytes - done);
  order_stores_past_cache();
}

void copy_lines_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += line) {
    const auto* source = reinterpret_cast<const __m128i*>(from + done);
    auto* target = reinterpret_cast<__m128i*>(to + done);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
}

void order_stores_past_cache() { _mm_sfence(); }

#else

void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void copy_lines_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void order_stores_past_cache() { std::atomic_thread_fence(std::memory_order_release); }

#endif

}  // namespace nasvm
