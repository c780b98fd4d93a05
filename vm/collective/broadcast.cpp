// Short (and for two ranks): binomial tree. In the tree's numbering (the root is 0) a task receives from itself
// without its lowest set bit, then sends to itself plus every lower bit, the farthest first.
//   Steps: ceil(log2 P). Per rank: n bytes received, at most ceil(log2 P) n sent (root).
//
// Long: scatter and ring allgather. The root cuts the data into P blocks, sends block i straight to task i, and
// then all blocks run around the ring; nobody sends to the root, which has everything.
//   Steps: 1 + (P - 1). Per rank: n bytes received, (P - 1)/P n sent (root twice that, the last task nothing).

#include <bit>
#include <vector>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

/// The ranks numbered from the root on.
struct Numbering {
  int ranks;
  Rank root;
  [[nodiscard]] int number_of(Rank rank) const { return (rank - root + ranks) % ranks; }
  [[nodiscard]] Rank rank_of(int number) const { return (number + root) % ranks; }
};

void binomial(Comm& comm, std::span<std::byte> data, const Numbering& numbering, std::uint8_t element_bytes) {
  const int number = numbering.number_of(comm.rank());
  const auto bits = static_cast<unsigned>(number);
  const int lowest_bit =
      static_cast<int>(number == 0 ? std::bit_ceil(static_cast<unsigned>(numbering.ranks)) : bits & (~bits + 1));
  if (number != 0) comm.recv_bytes(data, numbering.rank_of(number - lowest_bit), broadcast_tag, element_bytes);
  for (int distance = lowest_bit / 2; distance > 0; distance /= 2) {
    if (number + distance >= numbering.ranks) continue;
    comm.send_bytes(data, numbering.rank_of(number + distance), broadcast_tag, element_bytes);
  }
}

void send_all_blocks(Comm& comm, std::span<const std::byte> data, const Numbering& numbering, const Blocks& blocks,
                     std::uint8_t element_bytes) {
  const int ranks = numbering.ranks;
  std::vector<Request> outgoing;
  outgoing.reserve(2 * static_cast<std::size_t>(ranks));
  for (int number = 1; number < ranks; ++number) {
    const Rank to = numbering.rank_of(number);
    outgoing.push_back(comm.isend_bytes(blocks.of(data, number), to, broadcast_tag, element_bytes));
  }
  for (int round = 1; round < ranks; ++round) {
    const Rank to = numbering.rank_of(1);
    outgoing.push_back(comm.isend_bytes(blocks.of(data, 1 - round), to, broadcast_tag, element_bytes));
  }
  comm.wait_all(outgoing);
}

void pass_blocks_on(Comm& comm, std::span<std::byte> data, const Numbering& numbering, const Blocks& blocks,
                    std::uint8_t element_bytes) {
  const int number = numbering.number_of(comm.rank());
  const Rank left = numbering.rank_of(number - 1);
  const Rank right = numbering.rank_of(number + 1);
  std::vector<Request> incoming;
  incoming.reserve(static_cast<std::size_t>(numbering.ranks));
  incoming.push_back(comm.irecv_bytes(blocks.of(data, number), numbering.root, broadcast_tag, element_bytes));
  for (int round = 1; round < numbering.ranks; ++round) {
    incoming.push_back(comm.irecv_bytes(blocks.of(data, number - round), left, broadcast_tag, element_bytes));
  }
  for (int round = 1; round < numbering.ranks; ++round) {
    comm.wait(incoming[static_cast<std::size_t>(round) - 1]);
    if (right == numbering.root) continue;
    comm.send_bytes(blocks.of(data, number - round + 1), right, broadcast_tag, element_bytes);
  }
  comm.wait(incoming.back());
}

}  // namespace

void broadcast(Comm& comm, std::span<std::byte> data, Rank root, std::uint8_t element_bytes) {
  const Numbering numbering{comm.size(), root};
  if (data.empty() || comm.size() == 1) return;
  if (choose_broadcast(comm.size(), data.size()) == BroadcastAlgorithm::binomial) {
    binomial(comm, data, numbering, element_bytes);
    return;
  }
  const Blocks blocks = Blocks::even(data.size(), comm.size(), element_bytes);
  if (comm.rank() == root) {
    send_all_blocks(comm, data, numbering, blocks, element_bytes);
  } else {
    pass_blocks_on(comm, data, numbering, blocks, element_bytes);
  }
}

}  // namespace nasvm::collective
