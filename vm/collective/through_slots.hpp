#pragma once
/// \file
/// Collectives among tasks that have memory in common (shared_area.hpp): each puts what others want into its slots,
/// and they take it from there. Reasons, and where it pays: docs/decisions/collectives-through-memory.md.
///
/// Comm calls these where they suit, and counts them as the algorithms of collective.hpp, whose results they give bit
/// by bit. All block until the caller's buffers are free, and none longer than that: who has only given may run
/// ahead.

#include <cstddef>
#include <span>

#include "vm/collective/shared_area.hpp"
#include "vm/comm.hpp"
#include "vm/reduction.hpp"

namespace nasvm::collective::through_slots {

// Depend on arguments alone that are equal on all ranks.
[[nodiscard]] bool suits_broadcast(int ranks, std::size_t bytes);
[[nodiscard]] bool suits_allreduce(int ranks, std::size_t bytes, std::size_t operand_bytes);
[[nodiscard]] bool suits_reduce(int ranks, std::size_t bytes, std::size_t operand_bytes);
[[nodiscard]] bool suits_allgather(int ranks, std::span<const std::size_t> bytes);

/// Is it worth asking the root whether it has a board for so much?
[[nodiscard]] bool suits_board(const SharedArea& area, int ranks, std::size_t bytes);

/// The root copies the message to its board (Comm::board), says in a step where it lies, and waits until all have
/// read it. Who cannot asks for it by a message. Per rank: n bytes copied, at the root to the board. False, at all
/// members: the root says that it would not pay.
[[nodiscard]] bool broadcast_by_board(Comm& comm, SharedArea& area, std::span<std::byte> data, Rank root);
/// Slot by slot. Per rank: n bytes copied, at the root to the slots.
void broadcast(Comm& comm, SharedArea& area, std::span<std::byte> data, Rank root);
/// Everybody puts its vector into its slots, as much as fits at a time, and all meet; each combines one part of all
/// vectors, and all meet again; each copies the other parts. Short: each combines everything, and there is no second
/// meeting. Per rank: n bytes to the slots, n / P bytes of P vectors combined, (P - 1)/P n bytes copied.
void allreduce(Comm& comm, SharedArea& area, std::span<std::byte> inout, const Reduction& op);
/// Of two tasks: the other one's vector goes through its slots, and is combined out of them.
void reduce(Comm& comm, SharedArea& area, std::span<std::byte> inout, const Reduction& op, Rank root);
/// Own block to the slot, a meeting, the other blocks from theirs. `out` may be the own block of `in`. False, with
/// nothing done: a block is longer than a slot.
[[nodiscard]] bool allgatherv(Comm& comm, SharedArea& area, std::span<const std::byte> out, std::span<std::byte> in,
                              std::span<const std::size_t> bytes);
/// One meeting.
void barrier(Comm& comm, SharedArea& area);

}  // namespace nasvm::collective::through_slots
