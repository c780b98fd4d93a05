/* Sessions (MPI-4.0, section 11.3) without MPI_Init: sets of tasks, communicators of them, one after the other and
 * two at a time. */
#include <stdlib.h>
#include <string.h>

#include "mpi4.h"

#include "check.h"

static int handled = 0;
static void handle(MPI_Session* session, int* code, ...) {
  CHECK(*session != MPI_SESSION_NULL && *code != MPI_SUCCESS);
  ++handled;
}

static void check_sets(MPI_Session session) {
  char name[100], value[100];
  int sets = 0, length = 0, world = 0, self = 0, is_there = 0;
  MPI_Info info;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  for (int i = 0; i < sets; ++i) {
    length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
    CHECK(length > 1 && length < (int)sizeof name);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    CHECK((int)strlen(name) + 1 == length);
    world += strcmp(name, "mpi://WORLD") == 0;
    self += strcmp(name, "mpi://SELF") == 0;
    length = 5;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    CHECK(strcmp(name, "mpi:") == 0);
  }
  CHECK(world == 1 && self == 1);
  MPI_Session_get_pset_info(session, "mpi://SELF", &info);
  MPI_Info_get(info, "mpi_size", sizeof value - 1, value, &is_there);
  CHECK(is_there && atoi(value) == 1);
  MPI_Info_free(&info);
}

static void check_errors(MPI_Session session) {
  MPI_Errhandler before, own;
  MPI_Group group;
  MPI_Comm none;
  MPI_Session_get_errhandler(session, &before);
  CHECK(before == MPI_ERRORS_RETURN);
  CHECK(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group) != MPI_SUCCESS);
  MPI_Session_create_errhandler(handle, &own);
  MPI_Session_set_errhandler(session, own);
  MPI_Errhandler_free(&own);
  CHECK(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group) != MPI_SUCCESS);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK(handled == 2);
  handled = 0;
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_NULL, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &none) != MPI_SUCCESS);
  MPI_Session_set_errhandler(session, before);
  MPI_Errhandler_free(&before);
}

/* Of a session: all tasks, those of even rank, this one alone. */
static MPI_Comm make_world(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  return comm;
}

static void check_parts(MPI_Session session, MPI_Comm world) {
  int rank, size, sum = 0, one = 1, position, ranks[100];
  MPI_Group all, even, self;
  MPI_Comm part;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Group_from_session_pset(session, "mpi://world", &all);
  for (int i = 0; i < (size + 1) / 2; ++i) ranks[i] = 2 * i;
  MPI_Group_incl(all, (size + 1) / 2, ranks, &even);
  MPI_Group_rank(even, &position);
  if (position != MPI_UNDEFINED) {
    MPI_Comm_create_from_group(even, "even", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
    CHECK(sum == (size + 1) / 2);
    MPI_Comm_free(&part);
  }
  MPI_Group_from_session_pset(session, "mpi://SELF", &self);
  MPI_Comm_create_from_group(self, "self", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
  CHECK(sum == rank);
  MPI_Comm_free(&part);
  MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
  CHECK(part == MPI_COMM_NULL);
  MPI_Group_free(&all);
  MPI_Group_free(&even);
  MPI_Group_free(&self);
}

/* The first task, and all others. */
static void check_between_groups(MPI_Session session, MPI_Comm world) {
  int rank, size, sum = 0, first = 0, is_between = 0, is_there = 0;
  char value[10];
  MPI_Group all, one, rest, remote;
  MPI_Comm between;
  MPI_Info hints, kept;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (size < 2) return;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_incl(all, 1, &first, &one);
  MPI_Group_excl(all, 1, &first, &rest);
  /* Of the handler that is handed over also where this task is not in its group. */
  if (rank == 1) {
    CHECK(MPI_Intercomm_create_from_groups(one, 0, rest, 0, "not of it", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                           &between) != MPI_SUCCESS);
  }
  remote = rank == 0 ? rest : one;
  if (rank > 1) memset(&remote, 0x5a, sizeof remote); /* it counts for the leaders alone */
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "colour", "green");
  MPI_Intercomm_create_from_groups(rank == 0 ? one : rest, 0, remote, 0, "between", hints, MPI_ERRORS_ARE_FATAL,
                                   &between);
  MPI_Info_free(&hints);
  MPI_Comm_get_info(between, &kept);
  MPI_Info_get(kept, "colour", sizeof value - 1, value, &is_there);
  CHECK(is_there && strcmp(value, "green") == 0);
  MPI_Info_free(&kept);
  MPI_Comm_test_inter(between, &is_between);
  CHECK(is_between);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
  CHECK(sum == (rank == 0 ? size * (size - 1) / 2 : 0));
  MPI_Comm_free(&between);
  MPI_Group_free(&all);
  MPI_Group_free(&one);
  MPI_Group_free(&rest);
}

/* Buffered sends take the session's buffer. */
static void check_buffer(MPI_Session session, MPI_Comm world) {
  static char memory[2000];
  int rank, size, sent = 5, received = 0, bytes = 0;
  void* buffer = NULL;
  MPI_Request flush;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Session_attach_buffer(session, memory, sizeof memory);
  CHECK(MPI_Bsend(&sent, 1, MPI_INT, (rank + 1) % size, 3, world) == MPI_SUCCESS);
  MPI_Recv(&received, 1, MPI_INT, (rank + size - 1) % size, 3, world, MPI_STATUS_IGNORE);
  CHECK(received == 5);
  MPI_Session_iflush_buffer(session, &flush);
  MPI_Wait(&flush, MPI_STATUS_IGNORE);
  MPI_Session_flush_buffer(session);
  MPI_Session_detach_buffer(session, &buffer, &bytes);
  CHECK(buffer == memory && bytes == sizeof memory);
  CHECK(MPI_Bsend(&sent, 1, MPI_INT, (rank + 1) % size, 3, world) != MPI_SUCCESS);
}

static MPI_Session begin(const char* level) {
  char value[100];
  int is_there = 0, begun = 1;
  MPI_Info info;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "none of these");
  CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS && session == MPI_SESSION_NULL);
  MPI_Info_set(info, "thread_level", level);
  MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
  MPI_Info_free(&info);
  CHECK(session != MPI_SESSION_NULL);
  MPI_Session_get_info(session, &info);
  MPI_Info_get(info, "thread_level", sizeof value - 1, value, &is_there);
  CHECK(is_there && strcmp(value, level) == 0);
  MPI_Info_free(&info);
  MPI_Initialized(&begun);
  CHECK(!begun);
  return session;
}

static void check_environment(int argc, char** argv) {
  char value[200];
  int is_there = 0;
  MPI_Info info;
  MPI_Info_create_env(argc, argv, &info);
  MPI_Info_get(info, "command", sizeof value - 1, value, &is_there);
  CHECK(is_there && strcmp(value, argv[0]) == 0);
  MPI_Info_get(info, "wdir", sizeof value - 1, value, &is_there);
  CHECK(is_there);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  int rank = 0, all = 0;
  check_environment(argc, argv);
  for (int round = 0; round < 2; ++round) {
    MPI_Session session = begin(round == 0 ? "MPI_THREAD_SINGLE" : "MPI_THREAD_SERIALIZED");
    MPI_Session other = begin(round == 0 ? "MPI_THREAD_SINGLE" : "MPI_THREAD_SERIALIZED");
    MPI_Comm world = make_world(session), second = make_world(other);
    check_sets(session);
    check_errors(session);
    check_parts(session, world);
    check_between_groups(session, world);
    check_buffer(session, world);
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
    MPI_Comm_rank(second, &rank);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, second);
    MPI_Comm_free(&second);
    MPI_Session_finalize(&other);
  }
  if (rank == 0 && all == 0) printf("all right\n");
  return all != 0;
}
