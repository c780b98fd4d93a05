/* Sends that are complete when their calls return: their requests are waited for, tested, asked, freed and cancelled
   as any other's, in any order and beside others that are not complete yet (MPI-3.1, sections 3.7.2 to 3.8.4). */
#include "check.h"

enum { sends = 7, long_count = 1 << 21 };

static int ranks, rank, next, before;

static void check_empty(const MPI_Status* status) {
  int count = -1, cancelled = 1;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &cancelled);
  CHECK(count == 0 && cancelled == 0);
}

static void start_all(MPI_Request* requests, int* values) {
  for (int i = 0; i < sends; ++i) {
    values[i] = 100 * rank + i;
    MPI_Isend(&values[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[i]);
    CHECK(requests[i] != MPI_REQUEST_NULL);
  }
}

static void receive_all(void) {
  for (int i = 0; i < sends; ++i) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 100 * before + i);
  }
}

static void each_way(void) {
  MPI_Request requests[sends];
  MPI_Status status;
  int values[sends], flag = 0, index = -1;
  start_all(requests, values);
  receive_all();
  MPI_Request again = MPI_Request_f2c(MPI_Request_c2f(requests[0]));
  CHECK(again == requests[0]);
  MPI_Wait(&requests[0], &status);
  check_empty(&status);
  while (!flag) MPI_Test(&requests[1], &flag, &status);
  check_empty(&status);
  for (flag = 0; !flag;) MPI_Request_get_status(requests[2], &flag, &status);
  check_empty(&status);
  CHECK(requests[2] != MPI_REQUEST_NULL);
  MPI_Wait(&requests[2], &status);
  MPI_Request_free(&requests[3]);
  MPI_Cancel(&requests[4]);
  MPI_Wait(&requests[4], &status);
  check_empty(&status);
  MPI_Waitany(sends, requests, &index, &status);
  CHECK(index == 5 || index == 6);
  MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < sends; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
}

/* A long one is not complete before it is received. */
static void beside_a_long_one(int* out, int* in) {
  MPI_Request requests[sends + 1];
  int values[sends];
  for (int i = 0; i < long_count; ++i) out[i] = rank + i;
  MPI_Isend(out, long_count, MPI_INT, next, sends, MPI_COMM_WORLD, &requests[sends]);
  start_all(requests, values);
  MPI_Recv(in, long_count, MPI_INT, before, sends, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  receive_all();
  MPI_Waitall(sends + 1, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < long_count; ++i) CHECK(in[i] == before + i);
}

int main(int argc, char** argv) {
  static int out[long_count], in[long_count];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  next = (rank + 1) % ranks;
  before = (rank + ranks - 1) % ranks;
  each_way();
  beside_a_long_one(out, in);
  each_way();
  return finish();
}
