// MPI-3.1, section 6.6: communicators between two groups.

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/communicator.hpp"
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
  Comm* peers = nullptr;
  if (local_comm->rank() == local_leader) {
    check_comm(peer_comm);
    require(remote_leader >= 0 && remote_leader < peer_comm->peers(), err_rank);
    require(tag >= 0, err_tag);
    peers = peer_comm->messages.get();
  }
  newcomm = between::connected(*local_comm, local_leader, peers, remote_leader, tag);
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
