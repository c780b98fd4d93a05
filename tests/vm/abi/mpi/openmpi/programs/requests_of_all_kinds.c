/* Requests that are more than a send or a receive from where the data is: types that are given up meanwhile, messages
 * that are too long, looked at before they are waited for, cancelled, not started. */
#include <stdlib.h>

#include "check.h"

int MPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Request*);

enum { dense, column, halves, again, large, lost, buffered };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Status status;

  /* The types of pending receives are given up: one of data that lies together, one that does not. */
  int words[4] = {-1, -1, -1, -1}, spread[8];
  for (int i = 0; i < 8; ++i) spread[i] = -1;
  MPI_Datatype types[2];
  MPI_Request requests[2];
  MPI_Type_dup(MPI_INT, &types[0]);
  MPI_Type_vector(4, 1, 2, MPI_INT, &types[1]);
  MPI_Type_commit(&types[1]);
  MPI_Irecv(words, 4, types[0], before, dense, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(spread, 1, types[1], before, column, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&types[0]);
  MPI_Type_free(&types[1]);
  const int sent[4] = {rank, rank + 1, rank + 2, rank + 3};
  MPI_Send(sent, 4, MPI_INT, next, dense, MPI_COMM_WORLD);
  MPI_Send(sent, 4, MPI_INT, next, column, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) CHECK(words[i] == before + i && spread[2 * i] == before + i && spread[2 * i + 1] == -1);

  /* Both halves: a message that is too long, and one that is looked at first. */
  int few[2] = {-1, -1};
  MPI_Request request;
  MPI_Isendrecv(sent, 4, MPI_INT, next, halves, few, 2, MPI_INT, before, halves, MPI_COMM_WORLD, &request);
  int code = MPI_Wait(&request, &status), class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_TRUNCATE);
  CHECK(few[0] == before && few[1] == before + 1);
  MPI_Isendrecv(sent, 2, MPI_INT, next, halves, few, 2, MPI_INT, before, halves, MPI_COMM_WORLD, &request);
  int flag = 0, count = 0;
  while (!flag) MPI_Request_get_status(request, &flag, &status);
  CHECK(request != MPI_REQUEST_NULL && status.MPI_SOURCE == before);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 2 && few[0] == before && few[1] == before + 1);

  /* Started again after it was looked at, into a column. */
  MPI_Datatype spaced;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spaced);
  MPI_Type_commit(&spaced);
  MPI_Recv_init(spread, 1, spaced, before, again, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 3; ++round) {
    const int pair[2] = {10 * rank + round, 20 * rank + round};
    spread[0] = spread[1] = spread[2] = -1;
    MPI_Start(&request);
    MPI_Send(pair, 2, MPI_INT, next, again, MPI_COMM_WORLD);
    for (flag = round == 2; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(spread[0] == 10 * before + round && spread[1] == -1 && spread[2] == 20 * before + round);
  }
  MPI_Request_free(&request);
  MPI_Type_free(&spaced);

  /* The receive of an exchange is cancelled while its send, which is long, waits for its receiver. */
  enum { long_count = 1 << 20 };
  int* const out = malloc(sizeof(int) * long_count);
  int* const in = malloc(sizeof(int) * long_count);
  for (int i = 0; i < long_count; ++i) out[i] = rank + i;
  MPI_Isendrecv(out, long_count, MPI_INT, next, large, words, 1, MPI_INT, before, lost, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Irecv(in, long_count, MPI_INT, before, large, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag == 1);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  int differing = 0;
  for (int i = 0; i < long_count; ++i) differing += in[i] != before + i;
  CHECK(differing == 0);
  free(out);
  free(in);

  /* What could not be started is not waited for, and can be started when that has been mended. */
  MPI_Bsend_init(sent, 1, MPI_INT, next, buffered, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 2; ++round) {
    code = MPI_Start(&request);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_BUFFER);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  static char room[1024 + MPI_BSEND_OVERHEAD];
  MPI_Buffer_attach(room, sizeof room);
  CHECK(MPI_Start(&request) == MPI_SUCCESS);
  MPI_Recv(words, 1, MPI_INT, before, buffered, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(words[0] == before);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  void* detached;
  MPI_Buffer_detach(&detached, &count);
  return finish();
}
