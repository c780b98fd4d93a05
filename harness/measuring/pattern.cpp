#include "harness/measuring/pattern.hpp"

namespace nasvm {

// Multiplicative hashing: the constants are odd, with bits set all over (2^64 divided by the golden ratio; xxHash's
// second prime).

std::byte pattern_byte(std::size_t i, std::uint64_t seed) {
  const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xC2B2AE3D27D4EB4FULL;
  return static_cast<std::byte>(mixed >> 56);
}

void fill_pattern(std::span<std::byte> data, std::uint64_t seed) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = pattern_byte(i, seed);
}

void spoil_pattern(std::span<std::byte> data, std::uint64_t seed) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = ~pattern_byte(i, seed);
}

std::size_t first_difference(std::span<const std::byte> data, std::uint64_t seed) {
  std::size_t i = 0;
  while (i < data.size() && data[i] == pattern_byte(i, seed)) ++i;
  return i;
}

}  // namespace nasvm
