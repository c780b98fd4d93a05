#pragma once
/// \file
/// Integers in datagrams: little-endian whatever the host.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace nasvm::little_endian {

/// Writes the lowest `bytes` bytes of `value` at `out[at]`.
template <std::unsigned_integral T>
void put(std::span<std::byte> out, std::size_t at, T value, std::size_t bytes = sizeof(T)) {
  for (std::size_t i = 0; i < bytes; ++i) out[at + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Reads as many from `in[at]`.
template <std::unsigned_integral T>
T get(std::span<const std::byte> in, std::size_t at, std::size_t bytes = sizeof(T)) {
  if (std::endian::native == std::endian::little && bytes == sizeof(T)) {
    // Compilers make one load of the loop below only where each byte is read alone.
    T whole;
    std::memcpy(&whole, in.subspan(at, sizeof whole).data(), sizeof whole);
    return whole;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(in[at + i]) << (8 * i);
  return static_cast<T>(value);
}

}  // namespace nasvm::little_endian
