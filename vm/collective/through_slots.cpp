#include "vm/collective/through_slots.hpp"

#include <algorithm>
#include <vector>

#include "vm/collective/blocks.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/fold.hpp"
#include "vm/collective/tags.hpp"
#include "vm/streaming_copy.hpp"

namespace nasvm::collective::through_slots {
namespace {

/// Of two tasks, shorter vectors are through rings as soon. Measured: docs/decisions/collectives-through-memory.md.
constexpr std::size_t reduction_of_two_bytes = 32 * 1024;

/// Of all vectors together: every task combines them itself, and spares a meeting.
constexpr std::size_t short_total_bytes = 32 * 1024;

/// Of a reduction from one task to another, so that both are at it at the same time.
constexpr std::size_t pieces_of_two = 8, least_piece_of_two = 16 * 1024;

/// A message of more steps had better lie on a board: those who share a core would wait for each other in each of
/// them. With fewer tasks a board pays nowhere.
constexpr std::size_t steps_of_a_board = 4;
constexpr int fewest_of_a_board = 4;

/// A reduction, piece by piece.
class Reducing {
 public:
  Reducing(Comm& comm, SharedArea& area, std::span<std::byte> inout, const Reduction& op)
      : comm_(comm),
        area_(area),
        op_(op),
        fold_(comm.size(), inout.size(), op),
        operands_(static_cast<std::size_t>(comm.size())) {}

  /// Everybody combines the whole piece.
  void at_all(std::size_t offset, std::span<std::byte> piece) {
    area_.put_in_cache(comm_, 0, piece);
    area_.meet(comm_);
    find_operands(0);
    fold_(offset, operands_, piece);
  }

  /// Everybody combines a part of the piece, and copies the others.
  void in_parts(std::size_t offset, std::span<std::byte> piece) {
    const Blocks parts = Blocks::even(piece.size(), comm_.size(), op_.operand_bytes);
    const auto mine = parts.of(piece, comm_.rank());
    const std::size_t begin = parts.offset(comm_.rank());
    const std::size_t end = begin + mine.size();
    area_.put_in_cache(comm_, 0, piece.first(begin));
    area_.put_in_cache(comm_, end, piece.subspan(end));
    area_.meet(comm_);
    find_operands(begin);
    operands_[static_cast<std::size_t>(comm_.rank())] = mine.data();
    fold_(offset + begin, operands_, mine);
    area_.put_in_cache(comm_, begin, mine);
    area_.meet(comm_);
    for (int distance = 1; distance < comm_.size(); ++distance) {
      const Rank rank = (comm_.rank() + distance) % comm_.size();
      const auto part = parts.of(piece, rank);
      copy_block(area_.slot_of(rank).subspan(parts.offset(rank), part.size()), part);
    }
  }

 private:
  void find_operands(std::size_t place) {
    for (Rank rank = 0; rank < comm_.size(); ++rank) {
      operands_[static_cast<std::size_t>(rank)] = area_.slot_of(rank).data() + place;
    }
  }

  Comm& comm_;
  SharedArea& area_;
  const Reduction& op_;
  Fold fold_;
  std::vector<const std::byte*> operands_;
};

/// Copies a message to this task's board, and says where it lies there. 0: there is no board, or it would not pay.
/// Past the cache: readers on all cores have had those lines since the last time.
std::uint64_t post(Comm& comm, std::span<const std::byte> data) {
  const auto board = comm.board(data.size());
  if (board.empty()) return 0;
  copy_past_cache(board.data(), data.data(), data.size());
  return reinterpret_cast<std::uintptr_t>(board.data());
}

/// Who could not read it asks for it.
void serve(Comm& comm, SharedArea& area, std::span<const std::byte> data) {
  for (std::size_t left = area.await_answers(comm); left > 0; --left) {
    comm.send_bytes(data, comm.recv_bytes({}, any_source, broadcast_tag).source, broadcast_tag);
  }
}

void fetch(Comm& comm, SharedArea& area, std::span<std::byte> data, Rank root, std::uint64_t address) {
  const bool has_it = comm.read_memory(root, address, data);
  area.answer(comm, root, has_it);
  if (has_it) return;
  comm.send_bytes({}, root, broadcast_tag);
  comm.recv_bytes(data, root, broadcast_tag);
}

std::size_t in_whole_operands(std::size_t bytes, const Reduction& op) {
  return bytes / op.operand_bytes * op.operand_bytes;
}

}  // namespace

bool suits_broadcast(int ranks, std::size_t bytes) { return ranks > 2 && bytes != 0; }

bool suits_allreduce(int ranks, std::size_t bytes, std::size_t operand_bytes) {
  if (operand_bytes > Fold::most_operand_bytes || bytes == 0) return false;
  return ranks > 2 || (ranks == 2 && bytes >= reduction_of_two_bytes);
}

bool suits_reduce(int ranks, std::size_t bytes, std::size_t operand_bytes) {
  return ranks == 2 && suits_allreduce(ranks, bytes, operand_bytes);
}

bool suits_allgather(int ranks, std::span<const std::size_t> bytes) {
  return ranks > 2 && std::ranges::any_of(bytes, [](std::size_t each) { return each != 0; });
}

bool suits_board(const SharedArea& area, int ranks, std::size_t bytes) {
  return ranks >= fewest_of_a_board && bytes > steps_of_a_board * area.most_bytes();
}

bool broadcast_by_board(Comm& comm, SharedArea& area, std::span<std::byte> data, Rank root) {
  std::uint64_t address = 0;
  area.enter({broadcast_tag, data.size(), root});
  area.begin(sizeof address);
  if (comm.rank() == root) {
    address = post(comm, data);
    area.put_in_cache(comm, 0, std::as_bytes(std::span(&address, 1)));
    area.publish(comm);
  } else {
    area.await(comm, root);
    copy_block(area.slot_of(root).first(sizeof address), std::as_writable_bytes(std::span(&address, 1)));
  }
  area.end(comm);
  if (address == 0) return false;
  comm.rank() == root ? serve(comm, area, data) : fetch(comm, area, data, root, address);
  return true;
}

void broadcast(Comm& comm, SharedArea& area, std::span<std::byte> data, Rank root) {
  area.enter({broadcast_tag, data.size(), root});
  for (std::size_t offset = 0; offset < data.size(); offset += area.most_bytes()) {
    const auto piece = data.subspan(offset, std::min(area.most_bytes(), data.size() - offset));
    area.begin(piece.size());
    if (comm.rank() == root) {
      area.put(comm, 0, piece);
      area.publish(comm);
    } else {
      area.await(comm, root);
      copy_block(area.slot_of(root).first(piece.size()), piece);
    }
    area.end(comm);
  }
}

void allreduce(Comm& comm, SharedArea& area, std::span<std::byte> inout, const Reduction& op) {
  area.enter({allreduce_tag, inout.size()});
  Reducing reducing(comm, area, inout, op);
  const std::size_t most = in_whole_operands(area.most_bytes(), op);
  for (std::size_t offset = 0; offset < inout.size(); offset += most) {
    const auto piece = inout.subspan(offset, std::min(most, inout.size() - offset));
    area.begin(piece.size());
    if (piece.size() * static_cast<std::size_t>(comm.size()) <= short_total_bytes) {
      reducing.at_all(offset, piece);
    } else {
      reducing.in_parts(offset, piece);
    }
    area.end(comm);
  }
}

void reduce(Comm& comm, SharedArea& area, std::span<std::byte> inout, const Reduction& op, Rank root) {
  area.enter({reduce_tag, inout.size(), root});
  const std::size_t even = std::max(inout.size() / pieces_of_two, least_piece_of_two);
  const std::size_t most = in_whole_operands(std::min(even, area.most_bytes()), op);
  const Rank other = 1 - root;
  const auto combine = root != 0 && !op.commutative ? op.combine_reversed : op.combine;
  for (std::size_t offset = 0; offset < inout.size(); offset += most) {
    const auto piece = inout.subspan(offset, std::min(most, inout.size() - offset));
    area.begin(piece.size());
    if (comm.rank() == root) {
      area.await(comm, other);
      combine(op.op, piece.data(), area.slot_of(other).data(), piece.size() / op.operand_bytes);
    } else {
      area.put(comm, 0, piece);
      area.publish(comm);
    }
    area.end(comm);
  }
}

bool allgatherv(Comm& comm, SharedArea& area, std::span<const std::byte> out, std::span<std::byte> in,
                std::span<const std::size_t> bytes) {
  const std::size_t longest = std::ranges::max(bytes);
  if (longest > area.most_bytes()) return false;
  const Blocks blocks(bytes);
  const auto own = out.first(blocks.bytes(comm.rank()));
  area.enter({allgather_tag, blocks.total()});
  area.begin(longest);
  area.put(comm, 0, own);
  copy_block(own, blocks.of(in, comm.rank()));
  area.meet(comm);
  for (int distance = 1; distance < comm.size(); ++distance) {
    const Rank rank = (comm.rank() + distance) % comm.size();
    const auto block = blocks.of(in, rank);
    copy_block(area.slot_of(rank).first(block.size()), block);
  }
  area.end(comm);
  return true;
}

void barrier(Comm& comm, SharedArea& area) {
  area.enter({barrier_tag});
  area.meet(comm);
}

}  // namespace nasvm::collective::through_slots
