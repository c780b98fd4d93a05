// Short in total: Bruck's algorithm (J. Bruck et al., "Efficient Algorithms for All-to-All Communications in
// Multiport Message-Passing Systems", IEEE TPDS 1997), on a buffer that starts with the task's own block. Before
// round k a task holds its own and the next 2^k - 1 blocks; it sends as many of them as are missing there to
// rank - 2^k and appends those of rank + 2^k. At the end the buffer is turned into place.
//   Steps: ceil(log2 P). Per rank: as many messages, and all blocks but its own received.
//
// Long, or up to three tasks: ring. Each block runs around the ring, written straight to its place.
//   Steps: P - 1. Per rank: all blocks but its own received, as many messages as there are non-empty ones.
//
// Messages without bytes are not sent in either.

#include <algorithm>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/scratch.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

void bruck(Comm& comm, std::span<const std::byte> own, std::span<std::byte> in, const Blocks& blocks,
           std::uint8_t element_bytes) {
  const int ranks = comm.size();
  const Rank rank = comm.rank();
  Scratch scratch(blocks.total());
  const std::span<std::byte> turned = scratch.span();
  copy_block(own, turned);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int count = std::min(distance, ranks - distance);
    const Rank to = (rank + ranks - distance) % ranks;
    const Rank from = (rank + distance) % ranks;
    const auto out = turned.first(blocks.run_bytes(rank, count));
    const auto next = turned.subspan(blocks.run_bytes(rank, distance), blocks.run_bytes(from, count));
    exchange(comm, out, to, next, from, allgather_tag, element_bytes);
  }
  const std::size_t to_end = blocks.total() - blocks.offset(rank);
  copy_block(turned.first(to_end), in.subspan(blocks.offset(rank)));
  copy_block(turned.subspan(to_end), in);
}

}  // namespace

void allgatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in,
                std::span<const std::size_t> bytes, std::uint8_t element_bytes) {
  check_block_count(comm, bytes);
  const Blocks blocks(bytes);
  check_buffer(out.size(), blocks.bytes(comm.rank()));
  check_buffer(in.size(), blocks.total());
  const auto own = out.first(blocks.bytes(comm.rank()));
  if (choose_allgather(comm.size(), blocks.total()) == AllgatherAlgorithm::bruck) {
    bruck(comm, own, in, blocks, element_bytes);
    return;
  }
  copy_block(own, blocks.of(in, comm.rank()));
  ring_allgather(comm, in, blocks, 0, allgather_tag, element_bytes);
}

}  // namespace nasvm::collective
