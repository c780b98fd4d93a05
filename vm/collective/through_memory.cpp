#include "vm/collective/through_memory.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "vm/block_copy.hpp"
#include "vm/collective/blocks.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/tags.hpp"
#include "vm/status.hpp"

namespace nasvm::collective::through_memory {
namespace {

/// Of a block: reading one costs a system call, and the addresses before it a round of messages.
constexpr std::size_t shortest_block_bytes = 64 * 1024;

std::uint64_t address_of(std::span<const std::byte> data) { return reinterpret_cast<std::uintptr_t>(data.data()); }

template <typename T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// What a member says of its data: where they are, and how long.
using Place = std::array<std::uint64_t, 2>;

Place place_of(std::span<const std::byte> data, std::size_t bytes) { return {address_of(data), bytes}; }

void check_length(std::string_view collective, std::uint64_t bytes, Rank rank, std::size_t expected) {
  if (bytes == expected) return;
  throw RunError(fmt::format("collectives do not match: rank {} has {} bytes in {}, where {} are expected", rank,
                             bytes, collective, expected));
}

/// The root's part of a broadcast.
void offer(Comm& comm, std::span<const std::byte> data) {
  const auto board = comm.board(data.size());
  copy_bytes(board.data(), data.data(), board.size());
  Place place = place_of(board.empty() ? data : board, data.size());
  std::vector<std::uint8_t> answers(static_cast<std::size_t>(comm.size()), 1);
  std::vector<Request> incoming;
  incoming.reserve(answers.size());
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    auto& answer = answers[static_cast<std::size_t>(rank)];
    incoming.push_back(comm.irecv_bytes(bytes_of(answer), rank, broadcast_tag));
    comm.send_bytes(bytes_of(place), rank, broadcast_tag, sizeof place[0]);
  }
  comm.wait_all(incoming);
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (answers[static_cast<std::size_t>(rank)] == 0) comm.send_bytes(data, rank, broadcast_tag);
  }
}

void fetch(Comm& comm, std::span<std::byte> data, Rank root) {
  Place place{};
  comm.recv_bytes(bytes_of(place), root, broadcast_tag, sizeof place[0]);
  const auto [address, bytes] = place;
  check_length("a broadcast", bytes, root, data.size());
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
  std::vector<std::uint64_t> places(bytes.size() * Place{}.size());
  comm.allgather(place_of(out, blocks.bytes(comm.rank())), places);
  copy_block(out.first(blocks.bytes(comm.rank())), blocks.of(in, comm.rank()));
  int all_read = 1;
  for (int distance = 1; distance < comm.size(); ++distance) {
    const Rank from = (comm.rank() + distance) % comm.size();
    const auto block = blocks.of(in, from);
    const auto place = std::span(places).subspan(static_cast<std::size_t>(from) * Place{}.size());
    check_length("an allgather", place[1], from, block.size());
    if (!block.empty() && !comm.read_memory(from, place[0], block)) all_read = 0;
  }
  return comm.allreduce_value(all_read, Min{}) == 1;
}

}  // namespace nasvm::collective::through_memory
