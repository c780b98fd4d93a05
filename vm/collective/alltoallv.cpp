// Pairwise, several pairs at a time: a task posts the receives from rank - 1, rank - 2, ..., then sends to rank + 1,
// rank + 2, ..., so that at no time all send to the same task, and copies its own block. (Where tasks fetch long
// blocks from each other's memory the first sends go before the receives: nobody can fetch what has not been
// announced.) A window bounds how many distances are under way: before a task sends to a distance it waits until what
// it exchanged `window` distances before has gone and come. Nobody waits for what depends on that: the first `window`
// distances wait for nothing. Two tasks with short blocks do the same without requests. Steps: 1 for each `window`
// distances. Per rank: every non-empty block for another task is one message, sent once.

#include <algorithm>
#include <array>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

/// Chosen, not measured: bounds the requests that a task keeps, and is beyond the tasks of most machines here.
constexpr int most_under_way = 16;

/// One side of the exchange: its buffer and the blocks in it.
template <typename Byte>
struct Side {
  std::span<Byte> buffer;
  Blocks blocks;
  [[nodiscard]] std::span<Byte> block(Rank rank) const { return blocks.of(buffer, rank); }
};

/// Between hosts many connections that send at once are in each other's way, on one Ethernet more than at a switch,
/// where every wait for another task costs; shorter blocks are gone before they are in anybody's way
/// (docs/decisions/exchange-windows.md).
constexpr int most_between_hosts = 7;
constexpr std::size_t long_block_bytes = 64 * 1024;

bool are_long(const Comm& comm, std::size_t out_bytes) {
  return out_bytes >= long_block_bytes * static_cast<std::size_t>(comm.size());
}

int window_for(const Comm& comm, std::size_t out_bytes) {
  return are_long(comm, out_bytes) && !comm.is_on_one_host() ? most_between_hosts : most_under_way;
}

/// Longer blocks hide what requests cost behind the copy of the own block. Chosen.
constexpr std::size_t short_block_bytes = 4096;

/// Two tasks, and short blocks: without requests, which take a fifth of such a call. False: that is not so.
bool exchange_with_other(Comm& comm, const Side<const std::byte>& out, const Side<std::byte>& in,
                         std::uint8_t element_bytes) {
  const Rank other = 1 - comm.rank();
  const auto theirs = out.block(other);
  const auto mine = in.block(other);
  const auto own = out.block(comm.rank());
  if (theirs.empty() || mine.empty()) return false;
  if (std::max({theirs.size(), mine.size(), own.size()}) > short_block_bytes) return false;
  copy_block(own, in.block(comm.rank()));
  (void)comm.sendrecv_bytes(theirs, other, mine, other, alltoall_tag, element_bytes, element_bytes);
  return true;
}

void exchange(Comm& comm, const Side<const std::byte>& out, const Side<std::byte>& in, int window,
              std::uint8_t element_bytes) {
  const int ranks = comm.size();
  std::array<Request, most_under_way> receives;
  std::array<Request, most_under_way> sends;
  const auto at = [](auto& requests, int distance) -> Request& {
    return requests[static_cast<std::size_t>(distance) % requests.size()];
  };
  const auto receive_at = [&](int distance) {
    const Rank from = (comm.rank() + ranks - distance) % ranks;
    const auto block = in.block(from);
    if (!block.empty()) at(receives, distance) = comm.irecv_bytes(block, from, alltoall_tag, element_bytes);
  };
  const auto send_at = [&](int distance) {
    const Rank to = (comm.rank() + distance) % ranks;
    const auto block = out.block(to);
    if (!block.empty()) at(sends, distance) = comm.isend_bytes(block, to, alltoall_tag, element_bytes);
  };
  // What has been announced is fetched where it is received, which takes long: first this task announces its own.
  const bool is_fetched =
      comm.is_on_one_host() && are_long(comm, out.buffer.size()) && comm.can_read_memory((comm.rank() + 1) % ranks);
  const int announced = is_fetched ? std::min(window, ranks - 1) : 0;
  for (int distance = 1; distance <= announced; ++distance) send_at(distance);
  for (int distance = 1; distance < std::min(ranks, most_under_way + 1); ++distance) receive_at(distance);
  for (int distance = announced + 1; distance < ranks; ++distance) {
    if (const int before = distance - window; before > 0) {
      comm.wait(at(sends, before));
      comm.wait(at(receives, before));
      if (before + most_under_way < ranks) receive_at(before + most_under_way);
    }
    send_at(distance);
  }
  copy_block(out.block(comm.rank()), in.block(comm.rank()));
  comm.wait_all(receives);
  comm.wait_all(sends);
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
  if (comm.size() == 2 && exchange_with_other(comm, outgoing, incoming, element_bytes)) return;
  exchange(comm, outgoing, incoming, window_for(comm, out.size()), element_bytes);
}

}  // namespace nasvm::collective
