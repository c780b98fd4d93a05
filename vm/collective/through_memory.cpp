#include "vm/collective/through_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vm/block_copy.hpp"
#include "vm/collective/blocks.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective::through_memory {
namespace {

/// Of a block: reading one costs a system call, and the addresses before it a round of messages.
constexpr std::size_t shortest_block_bytes = 64 * 1024;

std::uint64_t address_of(std::span<const std::byte> data) { return reinterpret_cast<std::uintptr_t>(data.data()); }

template <typename T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// The root's part of a broadcast.
void offer(Comm& comm, std::span<const std::byte> data) {
  const auto board = comm.board(data.size());
  copy_bytes(board.data(), data.data(), board.size());
  std::uint64_t address = address_of(board.empty() ? data : board);
  std::vector<std::uint8_t> answers(static_cast<std::size_t>(comm.size()), 1);
  std::vector<Request> incoming;
  incoming.reserve(answers.size());
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    auto& answer = answers[static_cast<std::size_t>(rank)];
    incoming.push_back(comm.irecv_bytes(bytes_of(answer), rank, broadcast_tag));
    comm.send_bytes(bytes_of(address), rank, broadcast_tag, sizeof address);
  }
  comm.wait_all(incoming);
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (answers[static_cast<std::size_t>(rank)] == 0) comm.send_bytes(data, rank, broadcast_tag);
  }
}

void fetch(Comm& comm, std::span<std::byte> data, Rank root) {
  std::uint64_t address = 0;
  comm.recv_bytes(bytes_of(address), root, broadcast_tag, sizeof address);
  std::uint8_t answer = comm.read_memory(root, address, data) ? 1 : 0;
  comm.send_bytes(bytes_of(answer), root, broadcast_tag);
  if (answer == 0) comm.recv_bytes(data, root, broadcast_tag);
}

}  // namespace

bool suits_broadcast(int ranks, std::size_t bytes) { return ranks > 1 && bytes >= long_message_bytes; }

bool suits_allgather(int ranks, std::size_t total_bytes) {
  return ranks > 1 && total_bytes / static_cast<std::size_t>(ranks) >= shortest_block_bytes;
}

void broadcast(Comm& comm, std::span<std::byte> data, Rank root) {
  if (comm.rank() == root) {
    offer(comm, data);
  } else {
    fetch(comm, data, root);
  }
}

bool allgatherv(Comm& comm, std::span<const std::byte> out, std::span<std::byte> in,
                std::span<const std::size_t> bytes) {
  const Blocks blocks(bytes);
  std::vector<std::uint64_t> addresses(bytes.size());
  comm.allgather(std::vector{address_of(out)}, addresses);
  copy_block(out.first(blocks.bytes(comm.rank())), blocks.of(in, comm.rank()));
  int all_read = 1;
  for (int distance = 1; distance < comm.size(); ++distance) {
    const Rank from = (comm.rank() + distance) % comm.size();
    const auto block = blocks.of(in, from);
    if (!block.empty() && !comm.read_memory(from, addresses[static_cast<std::size_t>(from)], block)) all_read = 0;
  }
  return comm.allreduce_value(all_read, Min{}) == 1;
}

}  // namespace nasvm::collective::through_memory
