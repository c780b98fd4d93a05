/* Each collective in its three forms: at once, in the background, where two of each kind are under way and are waited
 * for in another order than they were begun, and started again and again with other data, by each task in an order of
 * its own; and an operation of the program's that takes much of the stack. */
#include <string.h>

#include "mpi4.h"

#include "check.h"

enum {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  kinds
};
enum { at_once, behind, again };
enum { count = 3, room = 8, most_tasks = 16, words = room * most_tasks };

static int rank, size, root;

/* What a task gives in a round. */
static int given(int task, int round, int i) { return 10000 * round + 500 * task + i; }

/* Blocks of several lengths, those that come in from the last to the first. */
static int lengths[most_tasks], places[most_tasks], back[most_tasks], bytes[most_tasks], back_bytes[most_tasks];
static int between[most_tasks], ones[most_tasks];
static MPI_Datatype types[most_tasks], column;

static int length(int task) { return task % 3 + 1; }
static int length_between(int one, int other) { return (one + other) % 4; }

static void lay_out(void) {
  /* Two integers with one between them. */
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < size; ++i) {
    lengths[i] = length(i);
    between[i] = length_between(i, rank);
    ones[i] = 1;
    places[i] = room * i;
    back[i] = room * (size - 1 - i);
    bytes[i] = (int)sizeof(int) * places[i];
    back_bytes[i] = (int)sizeof(int) * back[i];
    types[i] = (i + rank) % 2 ? MPI_INT : column;
  }
}

#define IN_THE_FORM(blocking, nonblocking, persistent, ...)   \
  if (form == at_once) blocking(__VA_ARGS__);                 \
  else if (form == behind) nonblocking(__VA_ARGS__, request); \
  else persistent(__VA_ARGS__, MPI_INFO_NULL, request);       \
  break

static void call(int kind, int form, const int* in, int* out, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (kind) {
    case barrier:
      IN_THE_FORM(MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, comm);
    case bcast:
      IN_THE_FORM(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, out, count, MPI_INT, root, comm);
    case gather:
      IN_THE_FORM(MPI_Gather, MPI_Igather, MPI_Gather_init, in, count, MPI_INT, out, count, MPI_INT, root, comm);
    case gatherv:
      IN_THE_FORM(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, in, length(rank), MPI_INT, out, lengths, back, MPI_INT,
                  root, comm);
    case scatter:
      IN_THE_FORM(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, in, count, MPI_INT, out, count, MPI_INT, root, comm);
    case scatterv:
      IN_THE_FORM(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, in, lengths, places, MPI_INT, out, length(rank),
                  MPI_INT, root, comm);
    case allgather:
      IN_THE_FORM(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in, count, MPI_INT, out, count, MPI_INT, comm);
    case allgatherv:
      IN_THE_FORM(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, in, length(rank), MPI_INT, out, lengths, back,
                  MPI_INT, comm);
    case alltoall:
      IN_THE_FORM(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, in, count, MPI_INT, out, count, MPI_INT, comm);
    case alltoallv:
      IN_THE_FORM(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, in, between, places, MPI_INT, out, between, back,
                  MPI_INT, comm);
    case alltoallw:
      IN_THE_FORM(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, in, ones, bytes, types, out, ones, back_bytes,
                  types, comm);
    case reduce:
      IN_THE_FORM(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, in, out, count, MPI_INT, MPI_SUM, root, comm);
    case allreduce:
      IN_THE_FORM(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, in, out, count, MPI_INT, MPI_MAX, comm);
    case reduce_scatter:
      IN_THE_FORM(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, in, out, lengths, MPI_INT,
                  MPI_SUM, comm);
    case reduce_scatter_block:
      IN_THE_FORM(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, in, out, count,
                  MPI_INT, MPI_SUM, comm);
    case scan:
      IN_THE_FORM(MPI_Scan, MPI_Iscan, MPI_Scan_init, in, out, count, MPI_INT, MPI_SUM, comm);
    case exscan:
      IN_THE_FORM(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, in, out, count, MPI_INT, MPI_SUM, comm);
  }
}

/* A task's buffers for one collective. */
struct Data {
  int in[words], out[words];
};

static void fill(struct Data* data, int kind, int round) {
  for (int i = 0; i < words; ++i) {
    data->in[i] = given(rank, round, i);
    data->out[i] = kind == bcast && rank == root ? data->in[i] : -1;
  }
}

static int sum(int round, int i, int tasks) {
  int all = 0;
  for (int task = 0; task < tasks; ++task) all += given(task, round, i);
  return all;
}

/* What is to be in `out`. */
static void expect(int* out, int kind, int round) {
  int before = 0;
  for (int i = 0; i < words; ++i) out[i] = -1;
  for (int i = 0; i < rank; ++i) before += length(i);
  for (int i = 0; i < count; ++i) {
    if (kind == scatter) out[i] = given(root, round, count * rank + i);
    if (kind == reduce && rank == root) out[i] = sum(round, i, size);
    if (kind == allreduce) out[i] = given(size - 1, round, i);
    if (kind == reduce_scatter_block) out[i] = sum(round, count * rank + i, size);
    if (kind == scan) out[i] = sum(round, i, rank + 1);
    if (kind == exscan && rank > 0) out[i] = sum(round, i, rank);
  }
  for (int i = 0; i < words; ++i) {
    if (kind == bcast && (i < count || rank == root)) out[i] = given(root, round, i);
  }
  for (int i = 0; i < length(rank); ++i) {
    if (kind == scatterv) out[i] = given(root, round, places[rank] + i);
    if (kind == reduce_scatter) out[i] = sum(round, before + i, size);
  }
  const int gets_all = rank == root;
  for (int task = 0; task < size; ++task) {
    for (int i = 0; i < count; ++i) {
      int* const to = &out[count * task + i];
      if (kind == allgather || (kind == gather && gets_all)) *to = given(task, round, i);
      if (kind == alltoall) *to = given(task, round, count * rank + i);
    }
    for (int i = 0; i < length(task); ++i) {
      if (kind == allgatherv || (kind == gatherv && gets_all)) out[back[task] + i] = given(task, round, i);
    }
    for (int i = 0; i < between[task]; ++i) {
      if (kind == alltoallv) out[back[task] + i] = given(task, round, places[rank] + i);
    }
    if (kind != alltoallw) continue;
    out[back[task]] = given(task, round, places[rank]);
    if ((task + rank) % 2 == 0) out[back[task] + 2] = given(task, round, places[rank] + 2);
  }
}

static void check(const struct Data* data, int kind, int round) {
  int wanted[words];
  expect(wanted, kind, round);
  if (memcmp(data->out, wanted, sizeof wanted) == 0) return;
  ++wrong;
  printf("wrong: collective %d, round %d, task %d\n", kind, round, rank);
}

/* Types of what is under way may be given up. */
static void give_up_types(void) { MPI_Type_free(&column); }

static void check_at_once(void) {
  static struct Data data;
  lay_out();
  for (int kind = 0; kind < kinds; ++kind) {
    fill(&data, kind, 1);
    call(kind, at_once, data.in, data.out, NULL);
    check(&data, kind, 1);
  }
  give_up_types();
}

static void check_in_the_background(void) {
  enum { all = 2 * kinds };
  static struct Data data[all];
  MPI_Request requests[all];
  lay_out();
  for (int i = 0; i < all; ++i) {
    fill(&data[i], i % kinds, 2 + i / kinds);
    call(i % kinds, behind, data[i].in, data[i].out, &requests[i]);
  }
  give_up_types();
  /* Other messages and collectives go on meanwhile. */
  int came = -1, total = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &came, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(came == (rank + size - 1) % size && total == size * (size - 1) / 2);
  for (int i = 0; i < all; ++i) {
    const int next = rank % 2 ? (i + 7 * rank) % all : all - 1 - i;
    MPI_Status status;
    int bytes_there = -1;
    MPI_Wait(&requests[next], &status);
    CHECK(requests[next] == MPI_REQUEST_NULL);
    MPI_Get_count(&status, MPI_BYTE, &bytes_there);
    CHECK(bytes_there == 0);
    check(&data[next], next % kinds, 2 + next / kinds);
  }
}

/* The last to come is waited for by all others. */
static void check_that_a_barrier_waits(void) {
  int flag = -1;
  MPI_Request request;
  if (rank != size - 1) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Send(NULL, 0, MPI_INT, size - 1, 6, MPI_COMM_WORLD);
  } else {
    for (int i = 0; i + 1 < size; ++i) MPI_Recv(NULL, 0, MPI_INT, i, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  }
  for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);
}

static void check_again_and_again(void) {
  static struct Data data[kinds];
  MPI_Request requests[kinds];
  lay_out();
  for (int kind = 0; kind < kinds; ++kind) call(kind, again, data[kind].in, data[kind].out, &requests[kind]);
  give_up_types();
  for (int round = 4; round < 7; ++round) {
    for (int kind = 0; kind < kinds; ++kind) fill(&data[kind], kind, round);
    if (round == 4) {
      MPI_Startall(kinds, requests);
    } else {
      for (int i = 0; i < kinds; ++i) MPI_Start(&requests[(round * rank + i) % kinds]);
    }
    if (round == 5) {
      MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int i = kinds; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    for (int kind = 0; kind < kinds; ++kind) {
      CHECK(requests[kind] != MPI_REQUEST_NULL);
      check(&data[kind], kind, round);
    }
  }
  for (int kind = 0; kind < kinds; ++kind) MPI_Request_free(&requests[kind]);
}

/* The left of two, by way of memory on the stack. */
static void take_left(void* in, void* inout, int* length, MPI_Datatype* datatype) {
  volatile double taken[*length];
  (void)datatype;
  for (int i = 0; i < *length; ++i) taken[i] = ((double*)in)[i];
  for (int i = 0; i < *length; ++i) ((double*)inout)[i] = taken[i];
}

static void check_that_operations_have_room(void) {
  enum { many = 100000 };
  static double in[many], out[many];
  MPI_Op op;
  MPI_Request request;
  for (int i = 0; i < many; ++i) in[i] = given(rank, 0, i);
  MPI_Op_create(take_left, 0, &op);
  MPI_Iallreduce(in, out, many, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&op);
  CHECK(out[0] == given(0, 0, 0) && out[many - 1] == given(0, 0, many - 1));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size <= most_tasks) {
    for (root = 0; root<size; root += size> 1 ? size - 1 : 1) {
      check_at_once();
      check_in_the_background();
      check_again_and_again();
    }
    check_that_a_barrier_waits();
    check_that_operations_have_room();
  }
  return finish();
}
