// MPI-4.0, sections 11.3, 7.4.2 and 7.6.2: sessions, the sets of tasks that they know, and communicators of those.

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/call.hpp"
#include "vm/abi/mpi/context_agreement.hpp"
#include "vm/abi/mpi/predefined.hpp"
#include "vm/abi/mpi/session.hpp"

namespace nasvm::mpi::api {
namespace {

constexpr std::array<const char*, 2> sets{"mpi://WORLD", "mpi://SELF"};
constexpr const char* thread_level_key = "thread_level";

struct LevelName {
  ThreadLevel level;
  const char* name;
};
constexpr std::array level_names{
    LevelName{thread_single, "MPI_THREAD_SINGLE"}, LevelName{thread_funneled, "MPI_THREAD_FUNNELED"},
    LevelName{thread_serialized, "MPI_THREAD_SERIALIZED"}, LevelName{thread_multiple, "MPI_THREAD_MULTIPLE"}};

/// What the hints ask for. Fails where there is no such level.
ThreadLevel wanted_level(const Info* info) {
  if (info == nullptr) return thread_single;
  const auto hint = std::ranges::find(info->entries, thread_level_key, [](const auto& entry) { return entry.first; });
  if (hint == info->entries.end()) return thread_single;
  const auto found = std::ranges::find(level_names, hint->second, &LevelName::name);
  require(found != level_names.end(), err_info_value);
  return found->level;
}

/// Errors are for the handler that the program has handed over.
template <typename Body>
void heard_by(ErrorHandler* handler, const Body& body) {
  try {
    body();
  } catch (Failure& failure) {
    failure.handler = handler;
    throw;
  }
}

void check_session(const Session* session) { require(session != nullptr, err_session); }

/// The tasks of a set, by its name in whatever case.
std::vector<Rank> tasks_of(const char* set) {
  require(set != nullptr, err_arg);
  if (::strcasecmp(set, sets[0]) == 0) return process().world().group->members;
  require(::strcasecmp(set, sets[1]) == 0, err_arg);
  return {process().world().rank()};
}

Ref<ErrorHandler> handler_or_fatal(ErrorHandler* handler) {
  return Ref<ErrorHandler>(handler != nullptr ? handler : &predefined_handler(errors_are_fatal));
}

/// Over the tasks of a group, which need have nothing in common but the machine.
Communicator* communicator_of(Group& group, const char* text, Info* info, ErrorHandler* handler) {
  Comm& world = *process().world().messages;
  require(group.rank_of(world.rank()) != undefined, err_group);
  const Context context = agree_on_context(process().world(), group.members, Communicator::agreement_tag(text));
  auto* made = new Communicator(world.with_context(context, group.members, 0));
  made->handler = handler_or_fatal(handler);
  made->belong_to(group.session);
  if (info != nullptr) made->hints = info->entries;
  return made;
}

}  // namespace

void session_init(Info* info, ErrorHandler* errhandler, Session*& session) {
  heard_by(errhandler, [&] { mpi::begin_session(wanted_level(info)); });
  session = new Session;
  session->handler = handler_or_fatal(errhandler);
}

void session_finalize(Session*& session) {
  check_session(session);
  session->buffer.flush();
  release(session);
  mpi::end_session();
}

void session_get_info(Session* session, Info*& info) {
  check_session(session);
  const auto level = std::ranges::find(level_names, process().thread_level(), &LevelName::level);
  info = new Info;
  info->entries.emplace_back(thread_level_key, level->name);
}

// --- sets of tasks
// --------------------------------------------------------------------------------------------------

void session_get_num_psets(Session* session, Info*, int* npsets) {
  check_session(session);
  *npsets = static_cast<int>(sets.size());
}

void session_get_nth_pset(Session* session, Info*, int n, int* length, char* pset_name) {
  check_session(session);
  require(n >= 0 && n < static_cast<int>(sets.size()), err_arg);
  const std::string name = sets[static_cast<std::size_t>(n)];
  // The room that there is, with the byte that ends a text; and what it would take.
  require(*length <= 0 || pset_name != nullptr, err_arg);
  if (*length > 0) {
    const std::string text = name.substr(0, static_cast<std::size_t>(*length - 1));
    std::memcpy(pset_name, text.c_str(), text.size() + 1);
  }
  *length = static_cast<int>(name.size()) + 1;
}

void session_get_pset_info(Session* session, const char* pset_name, Info*& info) {
  check_session(session);
  const std::size_t size = tasks_of(pset_name).size();
  info = new Info;
  info->entries.emplace_back("mpi_size", std::to_string(size));
}

void group_from_session_pset(Session* session, const char* pset_name, Group*& newgroup) {
  check_session(session);
  newgroup = new Group(tasks_of(pset_name));
  newgroup->session = Ref<Session>(session);
}

void comm_create_from_group(Group* group, const char* stringtag, Info* info, ErrorHandler* errhandler,
                            Communicator*& newcomm) {
  heard_by(errhandler, [&] {
    require(group != nullptr, err_group);
    newcomm = group->members.empty() ? nullptr : communicator_of(*group, stringtag, info, errhandler);
  });
}

void intercomm_create_from_groups(Group* local_group, int local_leader, Group* remote_group, int remote_leader,
                                  const char* stringtag, Info* info, ErrorHandler* errhandler,
                                  Communicator*& newcomm) {
  heard_by(errhandler, [&] {
    require(local_group != nullptr, err_group);
    require(local_leader >= 0 && local_leader < local_group->size(), err_rank);
    int peer = proc_null;  // the leaders alone know the other group
    if (local_group->rank_of(process().world().rank()) == local_leader) {
      require(remote_group != nullptr, err_group);
      require(remote_leader >= 0 && remote_leader < remote_group->size(), err_rank);
      peer = remote_group->members[static_cast<std::size_t>(remote_leader)];
    }
    Communicator* local = communicator_of(*local_group, stringtag, info, errhandler);
    const Ref<Communicator> kept(local);
    release(local);
    Comm* peers = peer == proc_null ? nullptr : &process().world().hidden();
    newcomm = between::connected(*kept, local_leader, peers, peer, Communicator::agreement_tag(stringtag));
    if (info != nullptr) newcomm->hints = info->entries;
  });
}

// --- error handlers
// -------------------------------------------------------------------------------------------------

void session_create_errhandler(const UserFunction& function, ErrorHandler*& errhandler) {
  comm_create_errhandler(function, errhandler);
}

void session_set_errhandler(Session* session, ErrorHandler* errhandler) {
  check_session(session);
  require(errhandler != nullptr, err_arg);
  session->handler = Ref<ErrorHandler>(errhandler);
}

void session_get_errhandler(Session* session, ErrorHandler*& errhandler) {
  check_session(session);
  errhandler = session->handler.get();
  ++errhandler->users;
}

void session_call_errhandler(Session* session, int code) {
  check_session(session);
  // Where the handler returns, so does the call, with success.
  ErrorHandler& handler = *session->handler;
  if (handler.function.function != nullptr) return seam::call_error_handler(handler.function, *session, code);
  if (number_in(handler.word) != errors_return) fail(code);
}

}  // namespace nasvm::mpi::api
