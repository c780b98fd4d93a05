#pragma once
/// \file
/// Which algorithm each collective takes, and what it costs: payload messages and bytes, summed over all ranks.
///
/// The algorithms ask here, and the traffic formulas of kernels are sums of these costs, so the two cannot
/// disagree. Every choice depends only on arguments that are equal on all ranks. Lengths are in bytes; one rank
/// alone costs nothing, and neither does a collective over no data.
///
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH"
/// (IJHPCA 2005), section "Algorithms", for which algorithm suits which length.

#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/endpoint.hpp"

namespace nasvm::collective {

struct Cost {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Cost&) const = default;
};

constexpr Cost operator+(Cost a, Cost b) { return {a.messages + b.messages, a.bytes + b.bytes}; }
/// The cost of doing it `times` times.
constexpr Cost operator*(std::uint64_t times, Cost once) { return {times * once.messages, times * once.bytes}; }

/// From this length on an algorithm pays off that moves fewer bytes over a rank's link in more rounds ...
inline constexpr std::size_t long_message_bytes = 64 * 1024;
/// ... as long as the blocks that it cuts the data into are not short themselves.
inline constexpr std::size_t shortest_ring_block_bytes = 2 * 1024;

enum class BroadcastAlgorithm { binomial, scatter_ring };
enum class AllreduceAlgorithm { recursive_doubling, ring };
enum class AllgatherAlgorithm { bruck, ring };

[[nodiscard]] BroadcastAlgorithm choose_broadcast(int ranks, std::size_t bytes);
[[nodiscard]] AllreduceAlgorithm choose_allreduce(int ranks, std::size_t bytes, bool commutative);
/// `total_bytes`: the blocks of all ranks together.
[[nodiscard]] AllgatherAlgorithm choose_allgather(int ranks, std::size_t total_bytes);
/// Whether a reduction goes to rank 0 first: the only way to keep rank order in a binomial tree.
[[nodiscard]] bool reduces_by_way_of_zero(bool commutative, Rank root);

[[nodiscard]] Cost barrier_cost(int ranks);
/// Of broadcasts that a multicast protocol does between hosts (BroadcastMethod) only the bytes are these: each counts
/// as one message to each receiver, however long it is.
[[nodiscard]] Cost broadcast_cost(int ranks, std::size_t bytes);
[[nodiscard]] Cost reduce_cost(int ranks, std::size_t bytes, bool commutative = true, Rank root = 0);
[[nodiscard]] Cost allreduce_cost(int ranks, std::size_t bytes, bool commutative = true);
[[nodiscard]] Cost scan_cost(int ranks, std::size_t bytes);

/// `block_bytes[r]`: length of rank r's block.
[[nodiscard]] Cost gatherv_cost(std::span<const std::size_t> block_bytes, Rank root = 0);
[[nodiscard]] Cost scatterv_cost(std::span<const std::size_t> block_bytes, Rank root = 0);
[[nodiscard]] Cost allgatherv_cost(std::span<const std::size_t> block_bytes);
/// One rank's part: `out_bytes[r]` bytes go from `rank` to r. The sum over all ranks is the cost.
[[nodiscard]] Cost alltoallv_cost(std::span<const std::size_t> out_bytes, Rank rank);

/// The same with equal blocks of `block_bytes` on every rank.
[[nodiscard]] Cost gather_cost(int ranks, std::size_t block_bytes);
[[nodiscard]] Cost scatter_cost(int ranks, std::size_t block_bytes);
[[nodiscard]] Cost allgather_cost(int ranks, std::size_t block_bytes);
[[nodiscard]] Cost alltoall_cost(int ranks, std::size_t block_bytes);

/// Comm::split, which is an allreduce and an allgather of a few integers.
[[nodiscard]] Cost split_cost(int ranks);

}  // namespace nasvm::collective
