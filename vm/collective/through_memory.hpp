#pragma once
/// \file
/// Collectives among tasks that can read each other's memory (those of one host, over shm): everybody says where its
/// data lies, and each task copies what it wants from there. Nobody passes anything on, so no copy waits for another
/// one, and each byte is copied once for each task that gets it. Where more tasks than cores wait for each other that
/// is what counts. Reasons: docs/decisions/collectives-through-memory.md.
///
/// Comm calls these where they suit, and counts them as the algorithms of collective.hpp. All block; everybody has
/// let go of the caller's buffers when they return.

#include <cstddef>
#include <span>

#include "vm/comm.hpp"

namespace nasvm::collective::through_memory {

/// Shorter messages are through rings before everybody has heard where to read. Depend on arguments alone that are
/// equal on all ranks.
[[nodiscard]] bool suits_broadcast(int ranks, std::size_t bytes);
[[nodiscard]] bool suits_allgather(int ranks, std::size_t total_bytes);

/// The root may copy the message to its board at first (Comm::board). It sends the address and the length (16 bytes)
/// to each task, and gets a byte back: 1, or 0 from a task that could not read after all, which it sends the message.
void broadcast(Comm& comm, std::span<std::byte> data, Rank root);
/// Addresses and lengths go round, then blocks are read, the next rank's first; then an allreduce of an int. `out`
/// may be the own block of `in`. False, on all ranks: some task could not be read after all.
[[nodiscard]] bool allgatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in,
                              std::span<const std::size_t> bytes);

}  // namespace nasvm::collective::through_memory
