// Linear: the root posts a receive for each block at its place, every other task sends its own. Blocks may be of
// any length, and none is copied on the way, which a tree would have to do.
// Steps: 1. Per rank: its block, once; empty blocks are not sent. The root receives P - 1 messages.

#include <vector>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {

void gatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
             Rank root, std::uint8_t element_bytes) {
  const bool knows_counts = comm.rank() == root || !bytes.empty();
  if (knows_counts) check_block_count(comm, bytes);
  const Blocks blocks(bytes);
  const std::size_t own_bytes = knows_counts ? blocks.bytes(comm.rank()) : out.size();
  check_buffer(out.size(), own_bytes);
  const auto own = out.first(own_bytes);
  if (comm.rank() != root) {
    if (!own.empty()) comm.send_bytes(own, root, gather_tag, element_bytes);
    return;
  }
  check_buffer(in.size(), blocks.total());
  std::vector<Request> incoming(bytes.size());
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    const auto block = blocks.of(in, rank);
    if (rank == root || block.empty()) continue;
    incoming[static_cast<std::size_t>(rank)] = comm.irecv_bytes(block, rank, gather_tag, element_bytes);
  }
  copy_block(own, blocks.of(in, root));
  comm.wait_all(incoming);
}

}  // namespace nasvm::collective
