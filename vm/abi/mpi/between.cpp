#include "vm/abi/mpi/between.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "vm/abi/mpi/context_agreement.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::between {
namespace {

using Pieces = std::vector<Comm::Piece>;

Comm::Piece piece(Rank rank, std::span<std::byte> bytes) { return {rank, bytes}; }

/// One piece to or from each of the other group.
Pieces pieces_of(Blocks& blocks) {
  Pieces pieces;
  for (int rank = 0; rank < blocks.ranks(); ++rank) pieces.push_back(piece(rank, blocks.of(rank)));
  return pieces;
}

void given(std::size_t bytes) { process().statistics.given(bytes); }

/// Nothing is in place between two groups.
void check_contribution(const void* sendbuf) { require(!is_in_place(sendbuf), err_comm); }

}  // namespace

void tell(Communicator& comm, std::span<std::byte> mine, std::span<std::byte> theirs, std::uint8_t element_bytes) {
  Comm& local = comm.collective();
  if (local.rank() == 0) {
    const std::array out{piece(0, mine)};
    const std::array in{piece(0, theirs)};
    comm.exchanging().exchange(out, in, element_bytes);
  }
  if (!theirs.empty()) local.broadcast_bytes(theirs, 0, element_bytes);
}

Context agree_on_context(Communicator& comm) {
  const Context mine = mpi::agree_on_context(comm.collective());
  return std::max(mine, told<Context>(comm, {mine}, 1).front());
}

Communicator* connected(Communicator& comm, Rank leader, Comm* peers, Rank remote_leader, Tag tag) {
  Comm& local = *comm.messages;
  // What a group tells the other: its size, the context that its leader has claimed, and who they are.
  std::vector<int> mine{local.size(), static_cast<int>(mpi::agree_on_context(local, leader))};
  for (Rank rank = 0; rank < local.size(); ++rank) mine.push_back(local.world_rank(rank));
  std::array<int, 2> head{};
  std::vector<int> others;
  if (peers != nullptr) {
    const std::array<int, 2> own{mine[0], mine[1]};
    peers->sendrecv(own, remote_leader, head, remote_leader, tag);
    others.resize(static_cast<std::size_t>(head[0]));
    peers->sendrecv(std::span(mine).subspan(2), remote_leader, others, remote_leader, tag);
  }
  local.broadcast(head, leader);
  others.resize(static_cast<std::size_t>(head[0]));
  local.broadcast(others, leader);
  const Context context = std::max(static_cast<Context>(mine[1]), static_cast<Context>(head[1]));
  const Rank rank = local.rank();
  auto messages = local.with_context(context, std::move(others), rank);
  return new Communicator(std::move(messages), split_tasks(local, 0, rank), comm);
}

Communicator* duplicate(Communicator& comm) {
  Comm& tasks = comm.collective();
  std::unique_ptr<Comm> local = split_tasks(tasks, 0, tasks.rank());
  const Context context = agree_on_context(comm);
  std::vector<Rank> others = comm.remote_group->members;
  auto messages = local->with_context(context, std::move(others), local->rank());
  return new Communicator(std::move(messages), std::move(local), comm);
}

Communicator* split(Communicator& comm, int color, int key) {
  struct Member {
    int color, key;
    Rank task;
  };
  Comm& tasks = comm.collective();
  const std::array<int, 3> own{color, key, process().world().rank()};
  std::vector<int> mine(own.size() * static_cast<std::size_t>(tasks.size()));
  tasks.allgather(own, mine);
  const std::vector<int> theirs = told(comm, mine, own.size() * static_cast<std::size_t>(comm.peers()));
  std::unique_ptr<Comm> local = split_tasks(tasks, color, key);
  const Context context = agree_on_context(comm);

  std::vector<Member> members;
  for (std::size_t at = 0; at < theirs.size(); at += own.size()) {
    if (theirs[at] == color) members.push_back({theirs[at], theirs[at + 1], theirs[at + 2]});
  }
  if (!local || members.empty()) return nullptr;
  std::ranges::stable_sort(members, {}, &Member::key);
  std::vector<Rank> others;
  for (const Member& member : members) others.push_back(member.task);
  auto messages = local->with_context(context, std::move(others), local->rank());
  return new Communicator(std::move(messages), std::move(local), comm);
}

void barrier(Communicator& comm) {
  comm.collective().barrier();
  (void)told<char>(comm, {1}, 1);
}

void bcast(void* buffer, std::ptrdiff_t count, const Datatype& type, int root, Communicator& comm) {
  if (root == root_here) {
    const Outgoing out(buffer, count, type);
    given(out.bytes().size());
    const Pieces pieces{piece(0, out.as_piece())};
    return comm.exchanging().exchange(pieces, {}, type.swap_bytes);
  }
  Incoming in(buffer, count, type);
  const Pieces pieces{piece(root, in.bytes())};
  if (comm.rank() == 0) comm.exchanging().exchange({}, pieces, type.swap_bytes);
  comm.collective().broadcast_bytes(in.bytes(), 0, type.swap_bytes);
  in.finish();
}

void gather(const void* sendbuf, std::ptrdiff_t sendcount, const Datatype* sendtype, Blocks* into, int root,
            Communicator& comm) {
  if (root == proc_null) return;
  if (root == root_here) {
    comm.exchanging().exchange({}, pieces_of(*into));
    return into->store();
  }
  check_data(sendcount, sendtype);
  const Outgoing out(sendbuf, sendcount, *sendtype);
  given(out.bytes().size());
  comm.exchanging().exchange(Pieces{piece(root, out.as_piece())}, {}, sendtype->swap_bytes);
}

void scatter(Blocks* from, void* recvbuf, std::ptrdiff_t recvcount, const Datatype* recvtype, int root,
             Communicator& comm) {
  if (root == proc_null) return;
  if (root == root_here) {
    from->load();
    given(from->bytes().size());
    return comm.exchanging().exchange(pieces_of(*from), {}, from->type().swap_bytes);
  }
  check_data(recvcount, recvtype);
  Incoming in(recvbuf, recvcount, *recvtype);
  comm.exchanging().exchange({}, Pieces{piece(root, in.bytes())}, recvtype->swap_bytes);
  in.finish();
}

void allgather(const void* sendbuf, std::ptrdiff_t sendcount, const Datatype* sendtype, Blocks& into,
               Communicator& comm) {
  check_data(sendcount, sendtype);
  const Outgoing own(sendbuf, sendcount, *sendtype);
  given(own.bytes().size());
  Pieces out;
  for (int rank = 0; rank < comm.peers(); ++rank) out.push_back(piece(rank, own.as_piece()));
  comm.exchanging().exchange(out, pieces_of(into), sendtype->swap_bytes);
  into.store();
}

void alltoall(Blocks& out, Blocks& in, Communicator& comm) {
  comm.exchanging().exchange(pieces_of(out), pieces_of(in), out.type().swap_bytes);
  in.store();
}

void reduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype& type, const Op& op, int root,
            Communicator& comm) {
  if (root == proc_null) return;
  if (root == root_here) {
    std::vector<std::byte> result(operand_bytes(type) * static_cast<std::size_t>(count));
    comm.exchanging().exchange({}, Pieces{piece(0, result)}, type.swap_bytes);
    return place_operands(type, result.data(), recvbuf, count);
  }
  check_contribution(sendbuf);
  Reducible data(op, type, count, sendbuf, nullptr, Result::elsewhere);
  comm.collective().reduce_bytes(data.bytes(), data.reduction(), 0);
  if (comm.rank() == 0) comm.exchanging().exchange(Pieces{piece(root, data.bytes())}, {}, type.swap_bytes);
}

void allreduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype& type, const Op& op,
               Communicator& comm) {
  check_contribution(sendbuf);
  Reducible data(op, type, count, sendbuf, nullptr, Result::elsewhere);
  comm.collective().reduce_bytes(data.bytes(), data.reduction(), 0);
  std::vector<std::byte> theirs(data.bytes().size());
  tell(comm, data.bytes(), theirs, type.swap_bytes);
  place_operands(type, theirs.data(), recvbuf, count);
}

void reduce_scatter(const void* sendbuf, void* recvbuf, const std::vector<std::ptrdiff_t>& counts, Datatype& type,
                    const Op& op, Communicator& comm) {
  check_contribution(sendbuf);
  Comm& tasks = comm.collective();
  const std::ptrdiff_t total = std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0});
  Reducible data(op, type, total, sendbuf, nullptr, Result::elsewhere);
  tasks.reduce_bytes(data.bytes(), data.reduction(), 0);
  std::vector<std::byte> theirs(data.bytes().size());
  if (tasks.rank() == 0) {
    comm.exchanging().exchange(Pieces{piece(0, data.bytes())}, Pieces{piece(0, theirs)}, type.swap_bytes);
  }
  std::vector<std::size_t> lengths;
  for (const std::ptrdiff_t count : counts) lengths.push_back(static_cast<std::size_t>(count) * operand_bytes(type));
  const auto rank = static_cast<std::size_t>(tasks.rank());
  std::vector<std::byte> part(lengths[rank]);
  tasks.scatterv_bytes(theirs, part, lengths, 0, type.swap_bytes);
  place_operands(type, part.data(), recvbuf, counts[rank]);
}

}  // namespace nasvm::mpi::between
