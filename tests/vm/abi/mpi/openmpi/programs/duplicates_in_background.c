/* MPI_Comm_idup waits for nobody, and duplicates that are under way at once do not get in each other's way. */
#include "check.h"

static int rank, size;

/* Nobody hears what others say in another communicator. */
static void check_apart(MPI_Comm one, MPI_Comm other) {
  const int mine[2] = {1, 2};
  int own, tasks, came[2] = {0, 0};
  MPI_Comm_rank(one, &own);
  MPI_Comm_size(one, &tasks);
  MPI_Request requests[2];
  MPI_Isend(&mine[0], 1, MPI_INT, (own + 1) % tasks, 7, one, &requests[0]);
  MPI_Isend(&mine[1], 1, MPI_INT, (own + 1) % tasks, 7, other, &requests[1]);
  MPI_Recv(&came[1], 1, MPI_INT, MPI_ANY_SOURCE, 7, other, MPI_STATUS_IGNORE);
  MPI_Recv(&came[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, one, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(came[0] == 1 && came[1] == 2);
}

/* The first task begins when all others say that they have begun. */
static void check_late_first(void) {
  MPI_Comm made;
  MPI_Request request;
  if (rank == 0) {
    for (int i = 1; i < size; ++i) MPI_Recv(NULL, 0, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  } else {
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Ssend(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int sum = 0, result;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Comm_compare(made, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  check_apart(made, MPI_COMM_WORLD);
  MPI_Comm_free(&made);
}

/* Each task duplicates the pair with its successor and that with its predecessor at once, and all together twice. */
static void check_overlapping(void) {
  MPI_Comm pair[2], made[4];
  MPI_Request requests[4];
  for (int first = 0; first < size; ++first) {
    const int second = (first + 1) % size;
    MPI_Comm of_both;
    MPI_Comm_split(MPI_COMM_WORLD, rank == first || rank == second ? 0 : MPI_UNDEFINED, rank == second, &of_both);
    if (rank == first) pair[0] = of_both;
    if (rank == second) pair[1] = of_both;
  }
  MPI_Comm_idup(pair[0], &made[0], &requests[0]);
  MPI_Comm_idup(pair[1], &made[1], &requests[1]);
  MPI_Comm_idup(MPI_COMM_WORLD, &made[2], &requests[2]);
  MPI_Comm_idup(MPI_COMM_WORLD, &made[3], &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  check_apart(made[2], made[3]);
  int place = -1;
  MPI_Comm_rank(made[0], &place);
  CHECK(place == 0);
  MPI_Comm_rank(made[1], &place);
  CHECK(place == 1);
  int from_before = -1, nobody;
  MPI_Sendrecv(&rank, 1, MPI_INT, 1, 3, &nobody, 0, MPI_INT, MPI_PROC_NULL, 3, made[0], MPI_STATUS_IGNORE);
  MPI_Recv(&from_before, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, made[1], MPI_STATUS_IGNORE);
  CHECK(from_before == (rank + size - 1) % size);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&made[i]);
  MPI_Comm_free(&pair[0]);
  MPI_Comm_free(&pair[1]);
}

/* Communicators between the tasks of even and of odd rank. */
static void check_between_groups(void) {
  MPI_Comm half, between, made;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  MPI_Comm_idup(between, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int is_inter = 0, peers = 0, least = -1;
  MPI_Comm_test_inter(made, &is_inter);
  CHECK(is_inter);
  MPI_Comm_remote_size(made, &peers);
  CHECK(peers == (size + rank % 2) / 2);
  MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, made);
  CHECK(least == 1 - rank % 2);
  MPI_Comm_free(&made);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_late_first();
  check_overlapping();
  check_between_groups();
  return finish();
}
