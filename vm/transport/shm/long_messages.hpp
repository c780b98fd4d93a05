#pragma once
/// \file
/// How long messages travel through shared memory, chosen from what the machine was measured to copy
/// (vm/probe/copy_rates.hpp). Pure logic. Reasons: docs/transports/shm.md, "Asking the machine".

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "vm/probe/copy_rates.hpp"

namespace nasvm::shm {

/// Lengths in bytes.
struct LongMessageChoice {
  static constexpr std::size_t never = ~std::size_t{0};

  std::size_t announce_from = 0;    ///< from here on a sender announces a message, for its receiver to decide
  std::size_t fetch_from = never;   ///< from here on it is fetched even from a sender that stands by to copy, too
  std::size_t stream_from = never;  ///< from here on what goes to shared memory is written past the cache
  std::size_t ring_bytes = 0;       ///< of a sender's ring, where memory does not ask for a smaller one

  bool operator==(const LongMessageChoice&) const = default;
};

/// Do the program's tasks have a core each?
enum class Cores { own, shared };

/// `rates` may lack anything: what is not known is as on the processors that the usual values come from.
LongMessageChoice choose_long_messages(const CopyRates& rates, Cores cores);

/// The choice and its reason, a line.
std::string describe(const LongMessageChoice& choice, const CopyRates& rates);

/// Is it worth while to copy what `readers` are going to read to memory that all have mapped? That is a copy more,
/// for which all wait, and each reader spares the system's look-up of every page: a fifth of its time or more. Bounds
/// the memory that a task keeps for it.
[[nodiscard]] constexpr bool board_pays(std::size_t bytes, int readers, int cores) {
  constexpr std::size_t most_bytes = std::size_t{8} << 20;
  constexpr int readers_for_each_core = 3;
  return bytes <= most_bytes && readers >= readers_for_each_core * cores;
}

/// How much of a message of so many bytes one record of the ring should carry where both tasks have a core: an
/// eighth. For so long they copy one after the other, then at the same time; but no less than what a record costs is
/// little of.
[[nodiscard]] constexpr std::size_t usual_piece(std::uint64_t message_bytes) {
  constexpr std::uint64_t pieces = 8, least = 8192, line = 64;
  return static_cast<std::size_t>(std::max(least, (message_bytes + pieces * line - 1) / (pieces * line) * line));
}

}  // namespace nasvm::shm
