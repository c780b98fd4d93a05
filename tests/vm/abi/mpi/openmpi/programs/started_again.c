/* Requests of MPI-4: collectives that are started again and again, and both halves of an exchange in one. */
#include "check.h"

int MPI_Allreduce_init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);
int MPI_Bcast_init(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*);
int MPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Request*);
int MPI_Isendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*);

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int given, sum;
  MPI_Request again;
  MPI_Allreduce_init(&given, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &again);
  for (int round = 0; round < 3; ++round) {
    given = rank + round;
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    CHECK(sum == size * (size - 1) / 2 + size * round);
    CHECK(again != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&again);

  /* Tasks start what they have made in the same order in another one. */
  MPI_Request both[2];
  int first = -1, second = -1;
  MPI_Bcast_init(&first, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  MPI_Bcast_init(&second, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
  for (int round = 0; round < 2; ++round) {
    first = rank == 0 ? 10 + round : -1;
    second = rank == 0 ? 20 + round : -1;
    MPI_Start(&both[rank % 2]);
    MPI_Start(&both[1 - rank % 2]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    CHECK(first == 10 + round && second == 20 + round);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);

  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int word = rank, came = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Isendrecv(&word, 1, MPI_INT, next, 1, &came, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(came == before && status.MPI_SOURCE == before);
  MPI_Isendrecv_replace(&word, 1, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  CHECK(word == before);
  MPI_Isendrecv_replace(&word, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(word == before && status.MPI_SOURCE == MPI_PROC_NULL);
  return finish();
}
