#pragma once
/// \file
/// What the messages of a farm cost at most, until it has its result. Bytes are those of packed messages
/// (vm/pack_buffer.hpp): one for the byte order, and nine before each item.

#include <cstddef>
#include <cstdint>

namespace nasvm::farm {

inline constexpr std::size_t item_head_bytes = 9;
/// A piece to a worker: one item of three numbers.
inline constexpr std::size_t piece_bytes = 1 + item_head_bytes + 3 * sizeof(double);
/// A result to the leader: the piece's number, a time, a row of so many numbers.
constexpr std::size_t result_bytes(std::size_t row_size) { return 1 + 3 * item_head_bytes + (2 + row_size) * 8; }

struct Bound {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

/// No worker gets a unit twice: at worst each gets every unit, alone in a piece, and all come back.
constexpr Bound bound(std::int64_t units, int tasks, std::size_t row_size) {
  const auto workers = static_cast<std::uint64_t>(tasks - 1);
  const auto pieces = static_cast<std::uint64_t>(units) * workers;
  return {pieces * (piece_bytes + result_bytes(row_size)), 2 * pieces};
}

}  // namespace nasvm::farm
