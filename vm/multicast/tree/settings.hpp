#pragma once
/// \file
/// The tree's parameters and their defaults, the same at all its ends.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "vm/multicast/tree/shape.hpp"

namespace nasvm::multicast::tree {

/// What nodes keep by default, in bytes: several round trips over all levels at the speed of memory.
inline constexpr std::size_t default_window_bytes = 1 << 20;

inline Shape shape_of(const Group& group) {
  return {group.receivers, static_cast<int>(value_of(group.parameters, "arity", 0))};
}

/// In packets.
inline std::uint32_t window_of(const Group& group) {
  const std::size_t otherwise = std::max<std::size_t>(16, default_window_bytes / group.packet_bytes);
  return static_cast<std::uint32_t>(value_of(group.parameters, "window", otherwise));
}

/// Acknowledgements are due at multiples of this, the same for all nodes: so that a parent's is due when its last
/// child's has come, and nothing adds up from level to level. A power of two, for sequence numbers that begin anew.
inline std::uint32_t acknowledged_every(std::uint32_t window) {
  return std::max<std::uint32_t>(1, std::bit_floor(window) / 4);
}

}  // namespace nasvm::multicast::tree
