// Linear: the root starts a send of each block from its place, every other task receives its own. Blocks may be
// of any length, and none is copied on the way, which a tree would have to do.
// Steps: 1. Per rank: its block, once; empty blocks are not sent. The root sends P - 1 messages.

#include <vector>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {

void scatterv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
              Rank root, std::uint8_t element_bytes) {
  const bool knows_counts = comm.rank() == root || !bytes.empty();
  if (knows_counts) check_block_count(comm, bytes);
  const Blocks blocks(bytes);
  const std::size_t own_bytes = knows_counts ? blocks.bytes(comm.rank()) : in.size();
  check_buffer(in.size(), own_bytes);
  const auto own = in.first(own_bytes);
  if (comm.rank() != root) {
    if (!own.empty()) comm.recv_bytes(own, root, scatter_tag, element_bytes);
    return;
  }
  check_buffer(out.size(), blocks.total());
  std::vector<Request> outgoing(bytes.size());
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    const auto block = blocks.of(out, rank);
    if (rank == root || block.empty()) continue;
    outgoing[static_cast<std::size_t>(rank)] = comm.isend_bytes(block, rank, scatter_tag, element_bytes);
  }
  copy_block(blocks.of(out, root), own);
  comm.wait_all(outgoing);
}

}  // namespace nasvm::collective
