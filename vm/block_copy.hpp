#pragma once
/// \file
/// Copying long blocks of bytes. glibc copies from some KiB on by the processor's string instruction (rep movsb),
/// which on AMD's Zen 3 and 4 takes ten to thirty times as long where the target lies a few bytes behind the source
/// within their pages: 3 GB/s, and up to 80 elsewhere. A vector's memory often begins 16 bytes behind a page's
/// border, and what is mapped at one, so that is no rare case here. Source: glibc bug 30994 ("REP MOVSB performance
/// suffers from page aliasing on Zen 4"), results/collectives.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nasvm {

/// What the string instruction may be used for; shorter copies never use it.
inline constexpr std::size_t shortest_string_copy = 2048;

/// Does the target lie so behind the source that the string instruction may be slow?
[[nodiscard]] inline bool is_aliased(const std::byte* to, const std::byte* from) {
  constexpr std::uintptr_t page = 4096, line = 64;
  const std::uintptr_t ahead = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
  return ahead != 0 && ahead < line;
}

/// Copies by vectors, whatever the places.
void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies `bytes` bytes that do not overlap, as std::memcpy does; none from or to null.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= shortest_string_copy && is_aliased(to, from)) {
    copy_by_vectors(to, from, bytes);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace nasvm
