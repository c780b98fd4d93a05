#pragma once
/// \file
/// The collectives, as algorithms over the point-to-point calls of a Comm. Comm calls them with the collective
/// context active; each algorithm stands in a file of its own, which states steps and bytes per rank.
/// Every function chooses by message length and number of ranks; the choice depends only on arguments that
/// are equal on all ranks.

#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/comm.hpp"

namespace nasvm::collective {

/// Dissemination: ceil(log2 P) rounds of one empty message per rank.
void barrier(Comm& comm);

void broadcast(Comm& comm, std::span<std::byte> data, Rank root, std::uint8_t element_bytes);
void reduce(Comm& comm, std::span<std::byte> inout, const Reduction& op, Rank root);
void allreduce(Comm& comm, std::span<std::byte> inout, const Reduction& op);
void scan(Comm& comm, std::span<std::byte> inout, const Reduction& op);

/// `bytes[r]`: length of rank r's block; blocks lie in rank order without gaps.
void gatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
             Rank root, std::uint8_t element_bytes);
void scatterv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
              Rank root, std::uint8_t element_bytes);
void allgatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in,
                std::span<const std::size_t> bytes, std::uint8_t element_bytes);

/// A rank's own block is copied; empty blocks are not sent, every other block is exactly one message.
void alltoallv(Comm& comm, std::span<const std::byte> out, std::span<const std::size_t> out_bytes,
               std::span<std::byte> in, std::span<const std::size_t> in_bytes, std::uint8_t element_bytes);

/// Comm::exchange. Each non-empty piece for another task is exactly one message.
void exchange_pieces(Comm& comm, std::span<const Comm::Piece> out, std::span<const Comm::Piece> in,
                     std::uint8_t element_bytes);

}  // namespace nasvm::collective
