#pragma once
/// \file
/// Numbers of packets and of transmissions: 32 bits that may wrap, so only numbers less than 2^31 apart compare.

#include <cstdint>

namespace nasvm::multicast {

constexpr bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }
constexpr std::uint32_t later_of(std::uint32_t a, std::uint32_t b) { return before(a, b) ? b : a; }
constexpr std::uint32_t earlier_of(std::uint32_t a, std::uint32_t b) { return before(a, b) ? a : b; }

/// `count` packets from `first` on.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] constexpr std::uint32_t end() const { return first + count; }
  friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace nasvm::multicast
