// Short, or an operation that is not commutative: recursive doubling. With C the largest power of two up to P,
// the first 2 (P - C) ranks pair up and the odd one of each pair stands for both; then in round k of log2 C the C
// tasks exchange what they have with the task at distance 2^k. Ranges that are combined are neighbours, so rank
// order is kept. All tasks compute the same expression with the same function, so all get the same bits.
//   Steps: log2 C, + 2 where P is no power of two. Per rank: n bytes in each of its steps.
//
// Long and commutative: ring reduce-scatter, then ring allgather. In round k a task passes on block r - k and
// adds its own part to block r - k - 1; after P - 1 rounds it owns the sum of block r + 1, and those go round.
// Every block is summed once, on one task, so all get the same bits.
//   Steps: 2 (P - 1). Per rank: 2 (P - 1)/P n bytes, and only (P - 1)/P n bytes of combining.

#include <bit>
#include <utility>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/scratch.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

void combine(const Reduction& op, std::span<std::byte> lower, std::span<const std::byte> upper) {
  op.combine(op.op, lower.data(), upper.data(), lower.size() / op.operand_bytes);
}

/// The power of two ranks that take part in the doubling, numbered 0 .. size - 1 in rank order.
struct Core {
  explicit Core(int ranks)
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), pairs(ranks - size) {}
  int size;
  int pairs;  ///< ranks 2i and 2i + 1 form a pair for i < pairs
  [[nodiscard]] bool in_pair(Rank rank) const { return rank < 2 * pairs; }
  [[nodiscard]] int number_of(Rank rank) const { return in_pair(rank) ? rank / 2 : rank - pairs; }
  [[nodiscard]] Rank rank_of(int number) const { return number < pairs ? 2 * number + 1 : number + pairs; }
};

void recursive_doubling(Comm& comm, std::span<std::byte> inout, const Reduction& op) {
  const Core core(comm.size());
  const Rank rank = comm.rank();
  const bool in_pair = core.in_pair(rank);
  if (in_pair && rank % 2 == 0) {
    comm.send_bytes(inout, rank + 1, allreduce_tag, op.element_bytes);
    comm.recv_bytes(inout, rank + 1, allreduce_tag, op.element_bytes);
    return;
  }
  // The lower ranks' part must be the left operand, which `combine` overwrites: the two buffers change roles
  // where that part was received.
  Scratch scratch(inout.size());
  std::span<std::byte> mine = inout;
  std::span<std::byte> other = scratch.span();
  const auto combine_from = [&](Rank partner) {
    combine(op, partner < rank ? other : mine, partner < rank ? mine : other);
    if (partner < rank) std::swap(mine, other);
  };
  if (in_pair) {
    comm.recv_bytes(other, rank - 1, allreduce_tag, op.element_bytes);
    combine_from(rank - 1);
  }
  for (int distance = 1; distance < core.size; distance *= 2) {
    const Rank partner = core.rank_of(core.number_of(rank) ^ distance);
    comm.sendrecv_bytes(mine, partner, other, partner, allreduce_tag, op.element_bytes, op.element_bytes);
    combine_from(partner);
  }
  copy_block(mine, inout);
  if (in_pair) comm.send_bytes(inout, rank - 1, allreduce_tag, op.element_bytes);
}

void ring(Comm& comm, std::span<std::byte> inout, const Reduction& op) {
  const int ranks = comm.size();
  const Rank right = (comm.rank() + 1) % ranks;
  const Rank left = (comm.rank() + ranks - 1) % ranks;
  const Blocks blocks = Blocks::even(inout.size(), ranks, op.operand_bytes);
  Scratch scratch(blocks.bytes(0));
  for (int round = 0; round < ranks - 1; ++round) {
    const auto out = blocks.of(inout, comm.rank() - round);
    const auto sum = blocks.of(inout, comm.rank() - round - 1);
    const auto in = scratch.span().first(sum.size());
    comm.sendrecv_bytes(out, right, in, left, allreduce_tag, op.element_bytes, op.element_bytes);
    combine(op, sum, in);
  }
  ring_allgather(comm, inout, blocks, 1, allreduce_tag, op.element_bytes);
}

}  // namespace

void allreduce(Comm& comm, std::span<std::byte> inout, const Reduction& op) {
  if (inout.empty() || comm.size() == 1) return;
  if (choose_allreduce(comm.size(), inout.size(), op.commutative) == AllreduceAlgorithm::ring) {
    ring(comm, inout, op);
  } else {
    recursive_doubling(comm, inout, op);
  }
}

}  // namespace nasvm::collective
