// Pairwise, without waiting between the pairs: a task posts the receives from rank - 1, rank - 2, ..., then the
// sends to rank + 1, rank + 2, ..., so that at no time all send to the same task, and copies its own block.
// At most 16 of each are outstanding; larger machines go through batches of 16 distances.
// Steps: 1 for each batch. Per rank: every non-empty block for another task is one message, sent once.

#include <algorithm>
#include <array>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

/// Chosen, not measured: bounds the requests that a task keeps, and is beyond the tasks of most machines here.
constexpr int batch = 16;

/// One side of the exchange: its buffer and the blocks in it.
template <typename Byte>
struct Side {
  std::span<Byte> buffer;
  Blocks blocks;
  [[nodiscard]] std::span<Byte> block(Rank rank) const { return blocks.of(buffer, rank); }
};

/// Exchanges with the tasks at distances `first` to `last` - 1; the own block is copied along with the first.
void exchange_at(Comm& comm, const Side<const std::byte>& out, const Side<std::byte>& in, int first, int last,
                 std::uint8_t element_bytes) {
  const int ranks = comm.size();
  std::array<Request, 2 * batch> requests;
  std::size_t used = 0;
  for (int distance = first; distance < last; ++distance) {
    const Rank from = (comm.rank() + ranks - distance) % ranks;
    const auto block = in.block(from);
    if (!block.empty()) requests[used++] = comm.irecv_bytes(block, from, alltoall_tag, element_bytes);
  }
  for (int distance = first; distance < last; ++distance) {
    const Rank to = (comm.rank() + distance) % ranks;
    const auto block = out.block(to);
    if (!block.empty()) requests[used++] = comm.isend_bytes(block, to, alltoall_tag, element_bytes);
  }
  if (first == 1) copy_block(out.block(comm.rank()), in.block(comm.rank()));
  comm.wait_all(std::span(requests).first(used));
}

}  // namespace

void alltoallv(Comm& comm, std::span<const std::byte> out, std::span<const std::size_t> out_bytes,
               std::span<std::byte> in, std::span<const std::size_t> in_bytes, std::uint8_t element_bytes) {
  check_block_count(comm, out_bytes);
  check_block_count(comm, in_bytes);
  const Side<const std::byte> outgoing{out, Blocks(out_bytes)};
  const Side<std::byte> incoming{in, Blocks(in_bytes)};
  check_buffer(out.size(), outgoing.blocks.total());
  check_buffer(in.size(), incoming.blocks.total());
  check_buffer(incoming.blocks.bytes(comm.rank()), outgoing.blocks.bytes(comm.rank()));
  int first = 1;
  do {
    exchange_at(comm, outgoing, incoming, first, std::min(first + batch, comm.size()), element_bytes);
    first += batch;
  } while (first < comm.size());
}

}  // namespace nasvm::collective
