/* One of several requests fails: its communicator's handler hears of it, and each status says what became of its own.
 * And errors that a communicator's handler is to hear of, not the system: there is no buffer. What is wrong with a
 * collective in the background is told by the call that starts it. */
#include <string.h>

#include "mpi4.h"

#include "check.h"

enum { too_long, fine };

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

/* Nothing is at a null pointer, unless the type brings addresses along: then it is MPI_BOTTOM. */
static void null_pointers(MPI_Comm forgiving, int next, int before) {
  const int sent = 17 + next;
  int got = 0, place = 0;
  MPI_Aint address;
  MPI_Datatype there;
  MPI_Request request;
  MPI_Comm_rank(forgiving, &place);
  CHECK(class_of(MPI_Send(NULL, 1, MPI_INT, next, fine, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Isend(NULL, 1, MPI_INT, next, fine, forgiving, &request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Irecv(NULL, 1, MPI_INT, before, fine, forgiving, &request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bcast(NULL, 1, MPI_INT, 0, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(&sent, NULL, 1, MPI_INT, MPI_SUM, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, forgiving)) == MPI_ERR_BUFFER);
  /* Every task lacks one that it needs, so that nobody sends. */
  CHECK(class_of(MPI_Reduce(place == 0 ? &sent : NULL, NULL, 1, MPI_INT, MPI_SUM, 0, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Exscan(place == 0 ? NULL : &sent, NULL, 1, MPI_INT, MPI_SUM, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Reduce_scatter_block(&sent, NULL, 1, MPI_INT, MPI_SUM, forgiving)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Reduce_scatter_block(NULL, &got, 1, MPI_INT, MPI_SUM, forgiving)) == MPI_ERR_BUFFER);
  CHECK(MPI_Bcast(NULL, 0, MPI_INT, 0, forgiving) == MPI_SUCCESS);
  CHECK(MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, fine, forgiving) == MPI_SUCCESS);
  MPI_Get_address(&got, &address);
  MPI_Type_create_hindexed(1, (int[]){1}, &address, MPI_INT, &there);
  MPI_Type_commit(&there);
  MPI_Sendrecv(&sent, 1, MPI_INT, next, fine, MPI_BOTTOM, 1, there, before, fine, forgiving, MPI_STATUS_IGNORE);
  CHECK(got == 17 + place);
  MPI_Type_free(&there);
}

static void wrong_collectives(MPI_Comm forgiving, int size) {
  double in = 1, out;
  int word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(class_of(MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, forgiving, &request)) == MPI_ERR_OP);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(class_of(MPI_Ibcast(&word, 1, MPI_INT, size, forgiving, &request)) == MPI_ERR_ROOT);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(class_of(MPI_Ibcast(&word, -1, MPI_INT, 0, forgiving, &request)) == MPI_ERR_COUNT);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Bcast_init(&word, -1, MPI_INT, 0, forgiving, MPI_INFO_NULL, &request);
  CHECK(class_of(MPI_Start(&request)) == MPI_ERR_COUNT);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request != MPI_REQUEST_NULL);
  MPI_Request_free(&request);
  MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, forgiving, &request);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && out == size);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int sent[4] = {rank, rank + 1, rank + 2, rank + 3};
  int got[4];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  /* Of all others an error ends the program. */
  MPI_Comm forgiving;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
  MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);

  /* The last request is not the one that fails, and may be complete from the start. */
  MPI_Irecv(got, 1, MPI_INT, before, too_long, forgiving, &requests[0]);
  MPI_Isend(sent, 4, MPI_INT, next, too_long, forgiving, &requests[1]);
  memset(statuses, 0x7f, sizeof statuses);
  CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
  CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);

  /* Another communicator's request comes after it. */
  MPI_Irecv(got, 1, MPI_INT, before, too_long, forgiving, &requests[0]);
  MPI_Irecv(got + 1, 1, MPI_INT, before, fine, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(sent, 4, MPI_INT, next, too_long, forgiving);
  MPI_Send(sent, 1, MPI_INT, next, fine, MPI_COMM_WORLD);
  CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);

  for (int way = 0; way < 2; ++way) {
    int indices[2], count = 0, flag = 0;
    MPI_Irecv(got, 1, MPI_INT, before, too_long, forgiving, &requests[0]);
    MPI_Irecv(got + 1, 1, MPI_INT, before, fine, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(sent, 4, MPI_INT, next, too_long, forgiving);
    MPI_Send(sent, 1, MPI_INT, next, fine, MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) {
      for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    }
    memset(statuses, 0x7f, sizeof statuses);
    const int code = way == 0 ? MPI_Waitsome(2, requests, &count, indices, statuses)
                              : MPI_Testsome(2, requests, &count, indices, statuses);
    CHECK(class_of(code) == MPI_ERR_IN_STATUS && count == 2 && indices[0] == 0 && indices[1] == 1);
    CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
    CHECK(got[0] == before && got[1] == before);
  }
  null_pointers(forgiving, next, before);
  wrong_collectives(forgiving, size);
  MPI_Comm_free(&forgiving);
  return finish();
}
