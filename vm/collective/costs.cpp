#include "vm/collective/costs.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "vm/collective/blocks.hpp"

namespace nasvm::collective {
namespace {

/// ceil(log2 ranks): rounds of an algorithm whose reach doubles.
std::uint64_t doubling_rounds(int ranks) {
  return static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

bool pays_in_blocks(int ranks, std::size_t bytes) {
  return ranks > 2 && bytes >= long_message_bytes &&
         bytes >= shortest_ring_block_bytes * static_cast<std::size_t>(ranks);
}

/// `messages` messages of `bytes` each, or nothing where there are no bytes.
Cost of_messages(std::uint64_t messages, std::size_t bytes) {
  return bytes == 0 ? Cost{} : Cost{messages, messages * bytes};
}

/// All blocks but that of `own` as one message each.
Cost of_other_blocks(std::span<const std::size_t> block_bytes, Rank own) {
  Cost cost;
  for (std::size_t rank = 0; rank < block_bytes.size(); ++rank) {
    if (static_cast<Rank>(rank) != own) cost = cost + of_messages(1, block_bytes[rank]);
  }
  return cost;
}

Cost bruck_cost(const Blocks& blocks) {
  const int ranks = blocks.count();
  Cost cost;
  for (int distance = 1; distance < ranks; distance *= 2) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      cost = cost + of_messages(1, blocks.run_bytes(rank, std::min(distance, ranks - distance)));
    }
  }
  return cost;
}

}  // namespace

BroadcastAlgorithm choose_broadcast(int ranks, std::size_t bytes) {
  return pays_in_blocks(ranks, bytes) ? BroadcastAlgorithm::scatter_ring : BroadcastAlgorithm::binomial;
}

AllreduceAlgorithm choose_allreduce(int ranks, std::size_t bytes, bool commutative) {
  // The ring combines each block in a rotated order of the ranks.
  return commutative && pays_in_blocks(ranks, bytes) ? AllreduceAlgorithm::ring
                                                     : AllreduceAlgorithm::recursive_doubling;
}

AllgatherAlgorithm choose_allgather(int ranks, std::size_t total_bytes) {
  // Up to three ranks the ring has no more rounds than Bruck's algorithm, and it needs no copies.
  return ranks <= 3 || pays_in_blocks(ranks, total_bytes) ? AllgatherAlgorithm::ring : AllgatherAlgorithm::bruck;
}

bool reduces_by_way_of_zero(bool commutative, Rank root) { return !commutative && root != 0; }

Cost barrier_cost(int ranks) { return {static_cast<std::uint64_t>(ranks) * doubling_rounds(ranks), 0}; }

Cost broadcast_cost(int ranks, std::size_t bytes) {
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  if (choose_broadcast(ranks, bytes) == BroadcastAlgorithm::binomial) return of_messages(others, bytes);
  return {others * static_cast<std::uint64_t>(ranks), others * bytes};
}

Cost reduce_cost(int ranks, std::size_t bytes, bool commutative, Rank root) {
  const std::uint64_t forwarded = reduces_by_way_of_zero(commutative, root) ? 1 : 0;
  return of_messages(static_cast<std::uint64_t>(ranks - 1) + forwarded, bytes);
}

Cost allreduce_cost(int ranks, std::size_t bytes, bool commutative) {
  const auto all = static_cast<std::uint64_t>(ranks);
  if (choose_allreduce(ranks, bytes, commutative) == AllreduceAlgorithm::ring) {
    return {2 * all * (all - 1), 2 * (all - 1) * bytes};
  }
  const std::uint64_t core = std::bit_floor(all);
  return of_messages(core * doubling_rounds(static_cast<int>(core)) + 2 * (all - core), bytes);
}

Cost scan_cost(int ranks, std::size_t bytes) {
  std::uint64_t messages = 0;
  for (int distance = 1; distance < ranks; distance *= 2) messages += static_cast<std::uint64_t>(ranks - distance);
  return of_messages(messages, bytes);
}

Cost gatherv_cost(std::span<const std::size_t> block_bytes, Rank root) { return of_other_blocks(block_bytes, root); }

Cost scatterv_cost(std::span<const std::size_t> block_bytes, Rank root) { return of_other_blocks(block_bytes, root); }

Cost allgatherv_cost(std::span<const std::size_t> block_bytes) {
  const Blocks blocks(block_bytes);
  if (choose_allgather(blocks.count(), blocks.total()) == AllgatherAlgorithm::bruck) return bruck_cost(blocks);
  return static_cast<std::uint64_t>(blocks.count() - 1) * of_other_blocks(block_bytes, -1);
}

Cost alltoallv_cost(std::span<const std::size_t> out_bytes, Rank rank) { return of_other_blocks(out_bytes, rank); }

Cost gather_cost(int ranks, std::size_t block_bytes) {
  return of_messages(static_cast<std::uint64_t>(ranks - 1), block_bytes);
}

Cost scatter_cost(int ranks, std::size_t block_bytes) { return gather_cost(ranks, block_bytes); }

Cost allgather_cost(int ranks, std::size_t block_bytes) {
  return allgatherv_cost(std::vector<std::size_t>(static_cast<std::size_t>(ranks), block_bytes));
}

Cost alltoall_cost(int ranks, std::size_t block_bytes) {
  const auto all = static_cast<std::uint64_t>(ranks);
  return of_messages(all * (all - 1), block_bytes);
}

Cost split_cost(int ranks) { return allreduce_cost(ranks, sizeof(Context)) + allgather_cost(ranks, 2 * sizeof(int)); }

}  // namespace nasvm::collective
