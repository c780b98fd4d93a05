// MPI-3.1, sections 6.4 and 6.8: communicators.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/context_agreement.hpp"
#include "vm/abi/mpi/info.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi::api {
namespace {

Communicator* wrapped(std::unique_ptr<Comm> comm, const Communicator& parent) {
  return comm ? new Communicator(std::move(comm), &parent) : nullptr;
}

std::vector<Rank> ranks_in(const Comm& comm, const Group& group) {
  std::vector<Rank> ranks;
  for (const Rank member : group.members) {
    Rank found = -1;
    for (Rank rank = 0; rank < comm.size() && found < 0; ++rank) found = comm.world_rank(rank) == member ? rank : -1;
    require(found >= 0, err_group);
    ranks.push_back(found);
  }
  return ranks;
}

std::unique_ptr<Comm> same_tasks(Communicator& comm) {
  Comm& tasks = comm.collective();
  return tasks.with_context(agree_on_context(tasks), comm.group->members, 0);
}

/// Gives a duplicate what hangs on the original; where that fails, there is none.
Communicator* with_belongings(Communicator* made, Communicator& comm) {
  try {
    copy_attributes(comm, *made);
  } catch (...) {
    release(made);
    throw;
  }
  made->topology = comm.topology;
  if constexpr (duplicates_have_hints) made->hints = comm.hints;
  return made;
}

Communicator* duplicate(Communicator& comm) {
  return with_belongings(comm.is_inter() ? between::duplicate(comm) : wrapped(same_tasks(comm), comm), comm);
}

/// Of a job in the background.
void connect(Communicator& made, Communicator& comm) {
  Comm& tasks = comm.collective();
  std::array<Context, 2> contexts{};
  if (tasks.rank() == 0) std::ranges::generate(contexts, [&] { return tasks.claim_context(); });
  tasks.broadcast(contexts, 0);
  const auto [own, between_groups] = contexts;
  std::unique_ptr<Comm> own_group = tasks.with_context(own, comm.group->members, 0);
  if (!comm.is_inter()) return made.connect(std::move(own_group), nullptr);
  const Context theirs = between::told<Context>(comm, {between_groups}, 1).front();
  const std::vector<Rank>& others = comm.remote_group->members;
  const Context agreed = comm.group->members.front() < others.front() ? between_groups : theirs;
  const Rank rank = own_group->rank();
  std::unique_ptr<Comm> to_others = own_group->with_context(agreed, others, rank);
  made.connect(std::move(to_others), std::move(own_group));
}

}  // namespace

void comm_size(Communicator* comm, int* size) {
  check_comm(comm);
  *size = comm->size();
}

void comm_rank(Communicator* comm, int* rank) {
  check_comm(comm);
  *rank = comm->rank();
}

void comm_compare(Communicator* comm1, Communicator* comm2, int* result) {
  check_comm(comm1);
  check_comm(comm2);
  if (comm1 == comm2) {
    *result = identical;
    return;
  }
  if (comm1->is_inter() != comm2->is_inter()) {
    *result = unequal;
    return;
  }
  group_compare(comm1->group.get(), comm2->group.get(), result);
  if (comm1->is_inter()) {
    int remote = identical;
    group_compare(comm1->remote_group.get(), comm2->remote_group.get(), &remote);
    *result = std::max(*result, remote);
  }
  if (*result == identical) *result = congruent;
}

void comm_group(Communicator* comm, Group*& group) {
  check_comm(comm);
  group = comm->group.get();
  ++group->users;
}

void comm_dup(Communicator* comm, Communicator*& newcomm) {
  check_comm(comm);
  newcomm = duplicate(*comm);
}

void comm_dup_with_info(Communicator* comm, Info* info, Communicator*& newcomm) {
  comm_dup(comm, newcomm);
  newcomm->hints = info == nullptr ? decltype(newcomm->hints){} : info->entries;
}

void comm_idup(Communicator* comm, Communicator*& newcomm, Request*& request) {
  check_comm(comm);
  Communicator* made = with_belongings(Communicator::unconnected(*comm), *comm);
  request = start_job(*comm, [comm, kept = Ref<Communicator>(made)] { connect(*kept, *comm); });
  newcomm = made;
}

void comm_idup_with_info(Communicator* comm, Info* info, Communicator*& newcomm, Request*& request) {
  comm_idup(comm, newcomm, request);
  newcomm->hints = info == nullptr ? decltype(newcomm->hints){} : info->entries;
}

void comm_create(Communicator* comm, Group* group, Communicator*& newcomm) {
  check_comm(comm);
  require(group != nullptr, err_group);
  const int rank = group->rank_of(process().world().rank());
  (void)ranks_in(comm->local(), *group);
  const int place = rank == undefined ? 0 : rank;
  if (comm->is_inter()) {
    newcomm = between::split(*comm, rank == undefined ? -1 : 0, place);
    return;
  }
  // Groups without a common member may be created in one call (MPI-3.1, 6.4.2): the first member tells them apart.
  const int color = rank == undefined ? -1 : group->members.front();
  newcomm = wrapped(split_tasks(comm->collective(), color, place), *comm);
}

void comm_create_group(Communicator* comm, Group* group, int tag, Communicator*& newcomm) {
  check_intra(comm);
  require(group != nullptr, err_group);
  require(tag >= 0, err_tag);
  newcomm = nullptr;
  const std::vector<Rank> ranks = ranks_in(*comm->messages, *group);
  if (std::ranges::find(ranks, comm->rank()) == ranks.end()) return;
  const Context context = agree_on_context(*comm, ranks, Communicator::agreement_tag(tag));
  newcomm = wrapped(comm->messages->with_context(context, group->members, 0), *comm);
}

void comm_split(Communicator* comm, int color, int key, Communicator*& newcomm) {
  check_comm(comm);
  require(color >= 0 || color == undefined, err_arg);
  if (comm->is_inter()) {
    newcomm = between::split(*comm, color == undefined ? -1 : color, key);
    return;
  }
  newcomm = wrapped(split_tasks(comm->collective(), color == undefined ? -1 : color, key), *comm);
}

void comm_split_type(Communicator* comm, int split_type, int key, Info* info, Communicator*& newcomm) {
  check_intra(comm);
  require((split_type >= comm_type_shared && split_type <= last_comm_type) || split_type == undefined, err_arg);
  // Tasks of a host share a colour: the lowest of their ranks. Of hardware within hosts nothing is known, so that
  // there is no part by which to split (MPI-4.0, section 7.4.2), and none that is smaller than a host.
  const std::string own = process().host_of(process().world().rank());
  const auto is_here = [&](Rank rank) { return process().host_of(comm->messages->world_rank(rank)) == own; };
  const bool is_guided = split_type == comm_type_hw_guided || split_type == comm_type_resource_guided;
  const std::pair<std::string, std::string> by_host{"mpi_hw_resource_type", "mpi_shared_memory"};
  const bool is_by_host = info != nullptr && std::ranges::find(info->entries, by_host) != info->entries.end();
  bool is_split = split_type != undefined && (!is_guided || is_by_host);
  if (split_type == comm_type_hw_unguided) {
    is_split = false;
    for (Rank rank = 0; rank < comm->size(); ++rank) is_split = is_split || !is_here(rank);
  }
  int color = -1;
  for (Rank rank = 0; is_split && color < 0; ++rank) {
    if (is_here(rank)) color = rank;
  }
  newcomm = wrapped(split_tasks(comm->collective(), color, key), *comm);
}

void comm_free(Communicator*& comm) {
  check_comm(comm);
  require(!comm->is_predefined(), err_comm);
  drop_attributes(*comm, comm->attributes);
  release(comm);
}

void comm_disconnect(Communicator*& comm) {
  check_comm(comm);
  require(!comm->is_predefined(), err_comm);
  comm->collective().barrier();
  comm_free(comm);
}

// --- names and hints
// ------------------------------------------------------------------------------------------------

void comm_set_name(Communicator* comm, const char* name) {
  check_comm(comm);
  comm->name = std::string(name).substr(0, max_object_name - 1);
}

void comm_get_name(Communicator* comm, char* name, int* length) {
  const std::string text = comm == nullptr ? "MPI_COMM_NULL" : comm->name;
  std::memcpy(name, text.c_str(), text.size() + 1);
  *length = static_cast<int>(text.size());
}

void comm_set_info(Communicator* comm, Info* info) {
  check_comm(comm);
  require(info != nullptr, err_info);
  // Those that are not named stay as they are (MPI-4.0, section 7.4.4).
  for (const auto& [key, value] : info->entries) set_entry(comm->hints, key, value);
}

void comm_get_info(Communicator* comm, Info*& info) {
  check_comm(comm);
  info = new Info;
  info->entries = comm->hints;
}

}  // namespace nasvm::mpi::api
