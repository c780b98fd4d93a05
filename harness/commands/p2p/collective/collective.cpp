#include "harness/commands/p2p/collective/collective.hpp"

#include <algorithm>
#include <array>

#include "harness/measuring/pattern.hpp"

namespace nasvm {
namespace {

constexpr Rank root = 0;
/// Pairs of ranks below that have seeds of their own.
constexpr std::uint64_t max_tasks_apart = 1 << 16;

std::uint64_t nothing(std::uint64_t) { return 0; }
std::uint64_t one_block(std::uint64_t) { return 1; }
std::uint64_t block_of_each(std::uint64_t np) { return np; }

/// Of the block from one task to another.
std::uint64_t seed_of(Rank from, Rank to) {
  return static_cast<std::uint64_t>(from) * max_tasks_apart + static_cast<std::uint64_t>(to) + 1;
}

void fill_block(std::span<std::byte> block, Rank from, Rank to) { fill_pattern(block, seed_of(from, to)); }

void spoil_block(std::span<std::byte> block, Rank from, Rank to) { spoil_pattern(block, seed_of(from, to)); }

bool is_block(std::span<const std::byte> block, Rank from, Rank to) {
  return first_difference(block, seed_of(from, to)) == block.size();
}

std::span<std::byte> block_at(std::span<std::byte> blocks, Rank rank, int np) {
  const std::size_t bytes = blocks.size() / static_cast<std::size_t>(np);
  return blocks.subspan(static_cast<std::size_t>(rank) * bytes, bytes);
}

// Barrier.

void call_barrier(Comm& comm, CollectiveBuffers&) { comm.barrier(); }
void fill_nothing(const Comm&, CollectiveBuffers&) {}
bool always_right(const Comm&, CollectiveBuffers&) { return true; }

// Broadcast.

void call_broadcast(Comm& comm, CollectiveBuffers& buffers) { comm.broadcast(buffers.in(), root); }

void fill_broadcast(const Comm& comm, CollectiveBuffers& buffers) {
  if (comm.rank() == root) fill_block(buffers.in(), root, root);
  else spoil_block(buffers.in(), root, root);
}

bool is_broadcast_right(const Comm&, CollectiveBuffers& buffers) { return is_block(buffers.in(), root, root); }

// Reductions: sums of small whole numbers, which are exact in any order.

constexpr std::size_t number_period = 1000;

void call_allreduce(Comm& comm, CollectiveBuffers& buffers) { comm.allreduce(buffers.numbers()); }
void call_reduce(Comm& comm, CollectiveBuffers& buffers) { comm.reduce(buffers.numbers(), Sum{}, root); }

void fill_numbers(const Comm& comm, CollectiveBuffers& buffers) {
  const std::span<double> numbers = buffers.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % number_period) + comm.rank();
}

bool are_sums_right(const Comm& comm, CollectiveBuffers& buffers) {
  const double np = comm.size();
  const std::span<const double> numbers = buffers.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != np * static_cast<double>(i % number_period) + np * (np - 1) / 2) return false;
  }
  return true;
}

/// Elsewhere than at the root the result is undefined.
bool is_reduce_right(const Comm& comm, CollectiveBuffers& buffers) {
  return comm.rank() != root || are_sums_right(comm, buffers);
}

// Exchanges of blocks.

void call_alltoall(Comm& comm, CollectiveBuffers& buffers) { comm.alltoall(buffers.out(), buffers.in()); }

void fill_alltoall(const Comm& comm, CollectiveBuffers& buffers) {
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    fill_block(block_at(buffers.out(), peer, comm.size()), comm.rank(), peer);
    spoil_block(block_at(buffers.in(), peer, comm.size()), peer, comm.rank());
  }
}

bool is_alltoall_right(const Comm& comm, CollectiveBuffers& buffers) {
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (!is_block(block_at(buffers.in(), peer, comm.size()), peer, comm.rank())) return false;
  }
  return true;
}

void call_allgather(Comm& comm, CollectiveBuffers& buffers) { comm.allgather(buffers.out(), buffers.in()); }

void fill_allgather(const Comm& comm, CollectiveBuffers& buffers) {
  fill_block(buffers.out(), comm.rank(), comm.rank());
  for (Rank peer = 0; peer < comm.size(); ++peer) spoil_block(block_at(buffers.in(), peer, comm.size()), peer, peer);
}

bool is_allgather_right(const Comm& comm, CollectiveBuffers& buffers) {
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (!is_block(block_at(buffers.in(), peer, comm.size()), peer, peer)) return false;
  }
  return true;
}

constexpr std::array table{
    Collective{"barrier", "Barrier", 0, nothing, nothing, call_barrier, fill_nothing, always_right},
    Collective{"broadcast", "Broadcast", 1, nothing, one_block, call_broadcast, fill_broadcast, is_broadcast_right},
    Collective{"reduce", "Reduce", sizeof(double), nothing, one_block, call_reduce, fill_numbers, is_reduce_right},
    Collective{"allreduce", "Allreduce", sizeof(double), nothing, one_block, call_allreduce, fill_numbers,
               are_sums_right},
    Collective{"allgather", "Allgather", 1, one_block, block_of_each, call_allgather, fill_allgather,
               is_allgather_right},
    Collective{"alltoall", "All-to-All Personalized Exchange", 1, block_of_each, block_of_each, call_alltoall,
               fill_alltoall, is_alltoall_right},
};

std::size_t whole_numbers(std::size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double); }

}  // namespace

CollectiveBuffers::CollectiveBuffers(std::size_t out_bytes, std::size_t in_bytes)
    : out_bytes_(out_bytes), in_bytes_(in_bytes), out_(whole_numbers(out_bytes)), in_(whole_numbers(in_bytes)) {}

CollectiveBuffers Collective::make_buffers(std::uint64_t bytes, int np) const {
  const auto tasks = static_cast<std::uint64_t>(np);
  return {bytes * out_factor(tasks), bytes * in_factor(tasks)};
}

std::uint64_t Collective::memory_bytes(std::uint64_t bytes, int np) const {
  const auto tasks = static_cast<std::uint64_t>(np);
  return tasks * bytes * (out_factor(tasks) + in_factor(tasks));
}

std::vector<std::uint64_t> Collective::sizes_among(std::span<const std::uint64_t> sizes) const {
  if (element_bytes == 0) return {0};
  std::vector<std::uint64_t> own;
  std::ranges::copy_if(sizes, std::back_inserter(own),
                       [&](std::uint64_t bytes) { return bytes != 0 && bytes % element_bytes == 0; });
  return own;
}

std::span<const Collective> collectives() { return table; }

const Collective* find_collective(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Collective::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace nasvm
