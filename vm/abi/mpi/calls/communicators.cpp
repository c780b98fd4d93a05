// MPI-3.1, sections 6.4 and 6.8: communicators.

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/errors.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

/// Of this library's own messages between two groups.
constexpr Tag group_tag = greatest_tag;

Communicator* wrapped(std::unique_ptr<Comm> comm, const Communicator& parent) {
  return comm ? new Communicator(std::move(comm), &parent) : nullptr;
}

/// The next context that is free on all of these ranks of a communicator, found by messages among them alone.
Context agree_on_context(Comm& comm, const std::vector<Rank>& members) {
  std::vector<Context> contexts(members.size(), comm.free_context());
  const auto piece = [](Rank rank, Context& context) {
    return Comm::Piece{rank, std::as_writable_bytes(std::span(&context, 1))};
  };
  std::vector<Comm::Piece> others;
  for (std::size_t i = 1; i < members.size(); ++i) others.push_back(piece(members[i], contexts[i]));
  if (comm.rank() != members.front()) {
    Context agreed = 0;
    const std::array own{piece(members.front(), contexts.front())};
    const std::array heard{piece(members.front(), agreed)};
    comm.exchange(own, heard);
    return agreed;
  }
  comm.exchange({}, others);
  const Context agreed = *std::ranges::max_element(contexts);
  std::ranges::fill(contexts, agreed);
  comm.exchange(others, {});
  return agreed;
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
  return tasks.split(0, tasks.rank());
}

/// Between the same two groups: the local leaders tell each other which contexts are free.
Communicator* duplicate_between(Communicator& comm) {
  std::unique_ptr<Comm> local = same_tasks(comm);
  std::array<Context, 1> mine{local->allreduce_value(local->free_context(), Max{})};
  std::array<Context, 1> theirs{};
  if (local->rank() == 0) comm.messages->sendrecv(mine, 0, theirs, 0, group_tag);
  local->broadcast(theirs, 0);
  std::vector<Rank> others;
  for (Rank rank = 0; rank < comm.peers(); ++rank) others.push_back(comm.messages->world_rank(rank));
  const Rank rank = local->rank();
  auto messages = local->with_context(std::max(mine[0], theirs[0]), std::move(others), rank);
  return new Communicator(std::move(messages), std::move(local), comm);
}

Communicator* duplicate(Communicator& comm) {
  Communicator* made = comm.is_inter() ? duplicate_between(comm) : wrapped(same_tasks(comm), comm);
  try {
    made->attributes = copied_attributes(comm, comm.attributes);
  } catch (...) {
    release(made);
    throw;
  }
  made->topology = comm.topology;
  made->hints = comm.hints;
  return made;
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
  // Its messages are those of a few short collectives: they are exchanged here, and the request is complete.
  comm_dup(comm, newcomm);
  ibarrier(comm, request);
}

void comm_create(Communicator* comm, Group* group, Communicator*& newcomm) {
  check_intra(comm);
  require(group != nullptr, err_group);
  const int rank = group->rank_of(process().world().rank());
  (void)ranks_in(*comm->messages, *group);
  newcomm = wrapped(comm->collective().split(rank == undefined ? -1 : 0, rank == undefined ? 0 : rank), *comm);
}

void comm_create_group(Communicator* comm, Group* group, int tag, Communicator*& newcomm) {
  check_intra(comm);
  require(group != nullptr, err_group);
  require(tag >= 0, err_tag);
  newcomm = nullptr;
  const std::vector<Rank> ranks = ranks_in(*comm->messages, *group);
  if (std::ranges::find(ranks, comm->rank()) == ranks.end()) return;
  const Context context = agree_on_context(*comm->messages, ranks);
  newcomm = wrapped(comm->messages->with_context(context, group->members, 0), *comm);
}

void comm_split(Communicator* comm, int color, int key, Communicator*& newcomm) {
  check_intra(comm);
  require(color >= 0 || color == undefined, err_arg);
  newcomm = wrapped(comm->collective().split(color == undefined ? -1 : color, key), *comm);
}

void comm_split_type(Communicator* comm, int split_type, int key, Info*, Communicator*& newcomm) {
  check_intra(comm);
  require(split_type >= comm_type_shared || split_type == undefined, err_arg);
  // Tasks of a host share a colour: the lowest of their ranks.
  int color = -1;
  if (split_type != undefined) {
    const std::string own = process().host_of(process().world().rank());
    for (Rank rank = 0; color < 0; ++rank) {
      if (process().host_of(comm->messages->world_rank(rank)) == own) color = rank;
    }
  }
  newcomm = wrapped(comm->collective().split(color, key), *comm);
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
  comm->hints = info->entries;
}

void comm_get_info(Communicator* comm, Info*& info) {
  check_comm(comm);
  info = new Info;
  info->entries = comm->hints;
}

// --- between groups
// -------------------------------------------------------------------------------------------------

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
  // What a group tells the other: its size, the context that is free on all its tasks, and who they are.
  std::vector<int> mine{local.size(), static_cast<int>(local.allreduce_value(local.free_context(), Max{}))};
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
  const auto context = static_cast<Context>(std::max(mine[1], head[1]));
  const Rank rank = local.rank();
  auto messages = local.with_context(context, std::move(others), rank);
  newcomm = new Communicator(std::move(messages), local.split(0, rank), *local_comm);
}

void intercomm_merge(Communicator* comm, int high, Communicator*& newcomm) {
  check_comm(comm);
  require(comm->is_inter(), err_comm);
  Comm& local = comm->local();
  std::array<int, 3> mine{high != 0 ? 1 : 0, static_cast<int>(local.allreduce_value(local.free_context(), Max{})),
                          comm->group->members.front()};
  std::array<int, 3> theirs{};
  if (local.rank() == 0) comm->messages->sendrecv(mine, 0, theirs, 0, group_tag);
  local.broadcast(theirs, 0);
  // Where both say the same, the group of the least task comes first.
  const bool second = mine[0] != theirs[0] ? mine[0] == 1 : mine[2] > theirs[2];
  std::vector<Rank> members = second ? comm->remote_group->members : comm->group->members;
  const std::vector<Rank>& rest = second ? comm->group->members : comm->remote_group->members;
  members.insert(members.end(), rest.begin(), rest.end());
  const auto context = static_cast<Context>(std::max(mine[1], theirs[1]));
  newcomm = wrapped(local.with_context(context, std::move(members), 0), *comm);
}

// --- attributes
// -----------------------------------------------------------------------------------------------------

void comm_create_keyval(const UserFunction& copy, const UserFunction& delete_function, int* keyval,
                        void* extra_state) {
  *keyval = create_keyval(Kind::comm, copy, delete_function, extra_state);
}
void keyval_create(const UserFunction& copy, const UserFunction& delete_function, int* keyval, void* extra_state) {
  comm_create_keyval(copy, delete_function, keyval, extra_state);
}
void comm_free_keyval(int* keyval) {
  free_keyval(Kind::comm, *keyval);
  *keyval = keyval_invalid;
}
void keyval_free(int* keyval) { comm_free_keyval(keyval); }

void comm_set_attr(Communicator* comm, int keyval, void* value) {
  check_comm(comm);
  check_keyval(Kind::comm, keyval);
  set_attribute(*comm, comm->attributes, keyval, value);
}
void attr_put(Communicator* comm, int keyval, void* value) { comm_set_attr(comm, keyval, value); }

void comm_get_attr(Communicator* comm, int keyval, void* value, int* flag) {
  check_comm(comm);
  if (keyval >= 0 && keyval < first_user_keyval) {
    static int values[] = {greatest_tag, proc_null, 0, 0, 0, err_last_code, 0};
    values[io_rank] = mpi_any_source;
    values[universe_size] = process().world().size();
    values[last_used_code] = last_error_code();
    *flag = keyval <= universe_size && keyval != host_rank ? 1 : 0;
    if (keyval == host_rank) *flag = 1;
    if (*flag != 0) *static_cast<void**>(value) = &values[keyval];
    return;
  }
  check_keyval(Kind::comm, keyval);
  const auto found = comm->attributes.find(keyval);
  *flag = found != comm->attributes.end() ? 1 : 0;
  if (*flag != 0) *static_cast<void**>(value) = found->second;
}
void attr_get(Communicator* comm, int keyval, void* value, int* flag) { comm_get_attr(comm, keyval, value, flag); }

void comm_delete_attr(Communicator* comm, int keyval) {
  check_comm(comm);
  check_keyval(Kind::comm, keyval);
  delete_attribute(*comm, comm->attributes, keyval);
}
void attr_delete(Communicator* comm, int keyval) { comm_delete_attr(comm, keyval); }

void type_create_keyval(const UserFunction& copy, const UserFunction& delete_function, int* keyval,
                        void* extra_state) {
  *keyval = create_keyval(Kind::type, copy, delete_function, extra_state);
}
void type_free_keyval(int* keyval) {
  free_keyval(Kind::type, *keyval);
  *keyval = keyval_invalid;
}
void type_set_attr(Datatype* datatype, int keyval, void* value) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  set_attribute(*datatype, datatype->attributes, keyval, value);
}
void type_get_attr(Datatype* datatype, int keyval, void* value, int* flag) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  const auto found = datatype->attributes.find(keyval);
  *flag = found != datatype->attributes.end() ? 1 : 0;
  if (*flag != 0) *static_cast<void**>(value) = found->second;
}
void type_delete_attr(Datatype* datatype, int keyval) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  delete_attribute(*datatype, datatype->attributes, keyval);
}

}  // namespace nasvm::mpi::api
