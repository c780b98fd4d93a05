// MPI-3.1, section 6.6: communicators between two groups.

#include <array>

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/context_agreement.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {

void comm_test_inter(Communicator* comm, int* flag) {
  check_comm(comm);
  *flag = comm->is_inter() ? 1 : 0;
}

void comm_remote_size(Communicator* comm, int* size) {
  check_comm(comm);
  require(comm->is_inter(), err_comm);
  *size = comm->peers();
}

void comm_remote_group(Communicator* comm, Group*& group) {
  check_comm(comm);
  require(comm->is_inter(), err_comm);
  group = comm->remote_group.get();
  ++group->users;
}

void comm_get_parent(Communicator*& comm) { comm = nullptr; }

void intercomm_create(Communicator* local_comm, int local_leader, Communicator* peer_comm, int remote_leader, int tag,
                      Communicator*& newcomm) {
  check_intra(local_comm);
  require(local_leader >= 0 && local_leader < local_comm->size(), err_rank);
  Comm& local = *local_comm->messages;
  const bool leads = local.rank() == local_leader;
  // What a group tells the other: its size, the context that its leader has claimed, and who they are.
  std::vector<int> mine{local.size(), static_cast<int>(agree_on_context(local, local_leader))};
  for (Rank rank = 0; rank < local.size(); ++rank) mine.push_back(local.world_rank(rank));
  std::array<int, 2> head{};
  std::vector<int> others;
  if (leads) {
    check_comm(peer_comm);
    require(remote_leader >= 0 && remote_leader < peer_comm->peers(), err_rank);
    Comm& peers = *peer_comm->messages;
    std::array<int, 2> own{mine[0], mine[1]};
    peers.sendrecv(own, remote_leader, head, remote_leader, tag);
    others.resize(static_cast<std::size_t>(head[0]));
    peers.sendrecv(std::span(mine).subspan(2), remote_leader, others, remote_leader, tag);
  }
  local.broadcast(head, local_leader);
  others.resize(static_cast<std::size_t>(head[0]));
  local.broadcast(others, local_leader);
  const Context context = std::max(static_cast<Context>(mine[1]), static_cast<Context>(head[1]));
  const Rank rank = local.rank();
  auto messages = local.with_context(context, std::move(others), rank);
  newcomm = new Communicator(std::move(messages), split_tasks(local, 0, rank), *local_comm);
}

void intercomm_merge(Communicator* comm, int high, Communicator*& newcomm) {
  check_comm(comm);
  require(comm->is_inter(), err_comm);
  const int mine = high != 0 ? 1 : 0;
  const int theirs = between::told<int>(*comm, {mine}, 1).front();
  const Context context = between::agree_on_context(*comm);
  // Where both say the same, the group of the least task comes first.
  const bool second = mine != theirs ? mine == 1 : comm->group->members.front() > comm->remote_group->members.front();
  std::vector<Rank> members = second ? comm->remote_group->members : comm->group->members;
  const std::vector<Rank>& rest = second ? comm->group->members : comm->remote_group->members;
  members.insert(members.end(), rest.begin(), rest.end());
  newcomm = new Communicator(comm->local().with_context(context, std::move(members), 0), comm);
}

}  // namespace nasvm::mpi::api
