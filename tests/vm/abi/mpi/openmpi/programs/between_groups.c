/* Collectives, copies and parts of a communicator between two groups: even ranks of the world, and odd ones; what is
 * refused there. */
#include <string.h>

#include "check.h"

enum { most = 64 };

static MPI_Comm pair_of(int is_odd, int rank) {
  MPI_Comm own, pair, peers = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd, rank, &own);
  /* It counts for the leaders alone. */
  if (rank > 1) memset(&peers, 0x5a, sizeof peers);
  MPI_Intercomm_create(own, 0, peers, is_odd ? 0 : 1, 7, &pair);
  MPI_Comm_free(&own);
  return pair;
}

static void check_one_root(MPI_Comm pair, int is_odd, int rank, int others) {
  int value = rank, in[most] = {0}, out[most];
  /* The first of the even ones is the root. */
  const int root = is_odd ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  /* What does not count on a task need not be set. */
  MPI_Datatype at_root = MPI_INT, here = MPI_INT, any = MPI_INT;
  MPI_Op op = MPI_SUM;
  if (root != MPI_ROOT) memset(&at_root, 0x5a, sizeof at_root);
  if (!is_odd) memset(&here, 0x5a, sizeof here);
  if (root == MPI_PROC_NULL) {
    memset(&any, 0x5a, sizeof any);
    memset(&op, 0x5a, sizeof op);
  }
  int word = rank == 0 ? 42 : -1;
  MPI_Bcast(&word, 1, any, root, pair);
  CHECK(!is_odd || word == 42);

  MPI_Gather(&value, 1, here, in, 1, at_root, root, pair);
  for (int i = 0; root == MPI_ROOT && i < others; ++i) CHECK(in[i] == 2 * i + 1);

  for (int i = 0; i < others; ++i) out[i] = 100 + i;
  MPI_Scatter(out, 1, at_root, &value, 1, here, root, pair);
  CHECK(!is_odd || value == 100 + rank / 2);

  int sum = -1;
  MPI_Reduce(&rank, &sum, 1, any, op, root, pair);
  CHECK(root != MPI_ROOT || sum == others * others); /* 1 + 3 + 5 + ... */
}

static void check_all(MPI_Comm pair, int is_odd, int rank, int own, int others) {
  int in[most] = {0}, out[most];
  MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, pair);
  for (int i = 0; i < others; ++i) CHECK(in[i] == 2 * i + !is_odd);

  for (int i = 0; i < others; ++i) out[i] = 10 * rank + i;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, pair);
  for (int i = 0; i < others; ++i) CHECK(in[i] == 10 * (2 * i + !is_odd) + rank / 2);

  int sum = -1;
  MPI_Request request;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, pair, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == (is_odd ? others * (others - 1) : others * others));

  /* Every task contributes ones; each of the other group gets as many as its part has. */
  int part[most] = {0};
  for (int i = 0; i < own * others; ++i) out[i] = 1;
  MPI_Reduce_scatter_block(out, part, others, MPI_INT, MPI_SUM, pair);
  for (int i = 0; i < others; ++i) CHECK(part[i] == others);
  MPI_Barrier(pair);
}

static void check_groups(MPI_Comm pair, int is_odd, int rank, int own, int others) {
  MPI_Comm copy, part, all;
  int size, place, compared;
  MPI_Comm_dup(pair, &copy);
  MPI_Comm_compare(pair, copy, &compared);
  CHECK(compared == MPI_CONGRUENT);

  MPI_Comm_split(copy, rank / 2 == 0 ? 0 : MPI_UNDEFINED, 0, &part);
  CHECK((part == MPI_COMM_NULL) == (rank / 2 != 0));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_remote_size(part, &size);
    CHECK(size == 1);
    MPI_Comm_free(&part);
  }

  MPI_Intercomm_merge(copy, is_odd, &all);
  MPI_Comm_size(all, &size);
  MPI_Comm_rank(all, &place);
  CHECK(size == own + others);
  CHECK(place == (is_odd ? others + rank / 2 : rank / 2));
  MPI_Comm_free(&all);
  MPI_Comm_free(&copy);
}

/* Nothing is in place. */
static void check_refused(MPI_Comm pair, int is_odd) {
  int values[most] = {0}, counts[most], places[most];
  MPI_Datatype types[most];
  for (int i = 0; i < most; ++i) {
    counts[i] = 1;
    places[i] = 0;
    types[i] = MPI_INT;
  }
  MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
  CHECK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, values, 1, MPI_INT, pair) != MPI_SUCCESS);
  CHECK(MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INT, values, counts, places, MPI_INT, pair) != MPI_SUCCESS);
  CHECK(MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, values, counts, places, types, pair) != MPI_SUCCESS);
  CHECK(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, values, 1, MPI_INT, pair) != MPI_SUCCESS);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, pair) != MPI_SUCCESS);
  CHECK(MPI_Reduce_scatter_block(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, pair) != MPI_SUCCESS);
  /* The root has nothing to give. */
  if (is_odd) CHECK(MPI_Reduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, 0, pair) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(pair, MPI_ERRORS_ARE_FATAL);
}

static void check_tag(int rank) {
  int class = MPI_SUCCESS;
  MPI_Comm alone, pair;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, rank == 0, -5, &pair), &class);
  CHECK(class == MPI_ERR_TAG);
  MPI_Comm_free(&alone);
}

int main(int argc, char** argv) {
  int rank, own, others;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm pair = pair_of(rank % 2, rank);
  MPI_Comm_size(pair, &own);
  MPI_Comm_remote_size(pair, &others);
  check_one_root(pair, rank % 2, rank, others);
  check_all(pair, rank % 2, rank, own, others);
  check_groups(pair, rank % 2, rank, own, others);
  check_refused(pair, rank % 2);
  check_tag(rank);
  MPI_Comm_free(&pair);
  return finish();
}
