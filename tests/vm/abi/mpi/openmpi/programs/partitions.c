/* Partitioned communication (MPI-4.0, chapter 4): parts leave one by one and in any order, however the two sides have
 * cut the data; ordinary messages of the same tag keep out of it. */
#include <stdlib.h>

#include "mpi4.h"

#include "check.h"

enum { numbers = 240, rounds = 3, tag = 7 };

static void fill(int* data, int rank, int round) {
  for (int i = 0; i < numbers; ++i) data[i] = 100000 * rank + 1000 * round + i;
}

static int is_filled(const int* data, int rank, int round) {
  int right = 1;
  for (int i = 0; i < numbers; ++i) right &= data[i] == 100000 * rank + 1000 * round + i;
  return right;
}

static void make_ready(int partitions, int round, MPI_Request request) {
  const int list[] = {partitions - 1, 0};
  if (partitions < 4) return (void)MPI_Pready_range(0, partitions - 1, request);
  MPI_Pready_list(2, list, request);
  if (round % 2 == 0) return (void)MPI_Pready_range(1, partitions - 2, request);
  for (int i = partitions - 2; i > 0; --i) MPI_Pready(i, request);
}

/* Around the ring, with different partitions on the two sides. */
static void check_ring(int rank, int size, int sent, int received, MPI_Comm comm) {
  int out[numbers], in[numbers], arrived = 0;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Psend_init(out, sent, numbers / sent, MPI_INT, to, tag, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, received, numbers / received, MPI_INT, from, tag, comm, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    int one = rank, other = -1;
    fill(out, rank, round);
    MPI_Startall(2, requests);
    MPI_Sendrecv(&one, 1, MPI_INT, to, tag, &other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    CHECK(other == from);
    make_ready(sent, round, requests[0]);
    if (round == 1) {
      for (int i = 0; i < received; ++i) {
        for (arrived = 0; !arrived;) MPI_Parrived(requests[1], i, &arrived);
        CHECK(in[i * (numbers / received)] == 100000 * from + 1000 * round + i * (numbers / received));
      }
    }
    MPI_Waitall(2, requests, statuses);
    CHECK(is_filled(in, from, round));
    CHECK(statuses[1].MPI_SOURCE == from && statuses[1].MPI_TAG == tag);
    MPI_Parrived(requests[1], 0, &arrived);
    CHECK(arrived);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

/* Long ones around the ring: what all send leaves only when they receive, though they wait for their sends first. */
static void check_long(int rank, int size) {
  enum { length = 1 << 19 };
  int* const data = malloc(2 * length * sizeof *data);
  MPI_Request send, receive;
  for (int i = 0; i < length; ++i) data[i] = rank + i;
  MPI_Psend_init(data, 2, length / 2, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(data + length, 4, length / 4, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &receive);
  for (int round = 0; round < rounds; ++round) {
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Pready_range(0, 1, send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK(data[length] == (rank + size - 1) % size && data[2 * length - 1] == data[length] + length - 1);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  free(data);
}

/* A part arrives while others are not ready; they become so only when it has been answered. */
static void check_one_before_others(int rank, int size) {
  int data[2] = {-1, -1}, arrived = 0, answer = 0;
  MPI_Request request;
  if (size < 2 || rank > 1) return;
  if (rank == 0) {
    MPI_Psend_init(data, 2, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    data[1] = 11;
    MPI_Pready(1, request);
    MPI_Recv(&answer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    data[0] = answer + 1;
    MPI_Pready(0, request);
  } else {
    MPI_Precv_init(data, 2, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    while (!arrived) MPI_Parrived(request, 1, &arrived);
    MPI_Parrived(request, 0, &arrived);
    CHECK(!arrived && data[1] == 11);
    MPI_Send(&data[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(data[0] == 12);
  MPI_Request_free(&request);
}

/* Every second number: what arrives is put into place part by part. */
static void check_gaps(int rank) {
  int out[12], in[24], arrived = 0;
  MPI_Datatype spread;
  MPI_Request send, receive;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i < 12; ++i) out[i] = 10 * rank + i;
  for (int i = 0; i < 24; ++i) in[i] = -1;
  MPI_Precv_init(in, 3, 4, spread, rank, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  MPI_Psend_init(out, 4, 3, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Type_free(&spread);
  MPI_Start(&receive);
  MPI_Start(&send);
  MPI_Pready_range(0, 1, send);
  while (!arrived) MPI_Parrived(receive, 0, &arrived);
  for (int i = 0; i < 4; ++i) CHECK(in[2 * i] == 10 * rank + i && in[2 * i + 1] == -1);
  MPI_Parrived(receive, 2, &arrived);
  CHECK(!arrived);
  MPI_Pready_range(2, 3, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  for (int i = 0; i < 12; ++i) CHECK(in[2 * i] == 10 * rank + i && in[2 * i + 1] == -1);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

/* Two of one tag belong together in the order in which they were made, whichever is started first. */
static void check_order(int rank) {
  int out[2] = {rank, rank + 1}, in[2] = {-1, -1};
  MPI_Request sends[2], receives[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Psend_init(&out[i], 1, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]);
    MPI_Precv_init(&in[i], 1, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]);
  }
  MPI_Startall(2, receives);
  for (int i = 1; i >= 0; --i) {
    MPI_Start(&sends[i]);
    MPI_Pready(0, sends[i]);
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  CHECK(in[0] == rank && in[1] == rank + 1);
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&sends[i]);
    MPI_Request_free(&receives[i]);
  }
}

/* Made and never started; to and from nobody; wrong. */
static void check_edges(int rank, int size) {
  int data = 0, arrived = 0;
  MPI_Request request;
  MPI_Psend_init(&data, 1, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Request_free(&request);
  MPI_Precv_init(&data, 1, 1, MPI_INT, (rank + 1) % size, 98, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Request_free(&request);
  MPI_Psend_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Pready(0, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Precv_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Parrived(request, 0, &arrived);
  CHECK(arrived);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* of calls without a communicator, since MPI-4.0 */
  CHECK(MPI_Precv_init(&data, 1, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request) !=
        MPI_SUCCESS);
  MPI_Psend_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  CHECK(MPI_Pready(0, request) != MPI_SUCCESS);
  MPI_Start(&request);
  CHECK(MPI_Pready(1, request) != MPI_SUCCESS);
  MPI_Pready(0, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_ring(rank, size, 8, 8, MPI_COMM_WORLD);
  check_ring(rank, size, 6, 4, MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  check_ring(rank, size, 1, 240, copy);
  check_ring(rank, size, 240, 3, copy);
  MPI_Comm_free(&copy);
  check_long(rank, size);
  check_one_before_others(rank, size);
  check_gaps(rank);
  check_order(rank);
  check_edges(rank, size);
  return finish();
}
