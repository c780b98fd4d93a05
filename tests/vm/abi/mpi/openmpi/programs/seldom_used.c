/* What programs seldom use: errors' texts before MPI_Init, flushes that are given up, types by precision, errors of
 * messages that were claimed, generalized requests that cannot be freed, in place with types that nobody has set. */
#include <string.h>

#include "mpi4.h"

#include "check.h"

static int forgotten = 0;

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int forget(void* state) {
  ++forgotten;
  return *(int*)state;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

static void check_flush_that_is_given_up(MPI_Comm comm, int rank) {
  static char memory[1000 + MPI_BSEND_OVERHEAD];
  int in = 0;
  void* buffer;
  int bytes;
  MPI_Request flush;
  MPI_Buffer_attach(memory, sizeof memory);
  MPI_Bsend(&rank, 1, MPI_INT, rank, 3, comm);
  MPI_Buffer_iflush(&flush);
  MPI_Request_free(&flush);
  MPI_Buffer_iflush(&flush);
  MPI_Request_free(&flush);
  MPI_Recv(&in, 1, MPI_INT, rank, 3, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &bytes);
  CHECK(in == rank);
}

static void check_types_by_precision(MPI_Comm comm, int rank, int size) {
  static const int precisions[3] = {6, 15, 18};
  MPI_Datatype types[3];
  float f[2] = {(float)rank, 1}, f_sum[2];
  double d[2] = {rank, 1}, d_sum[2];
  long double l[2] = {rank, 1}, l_sum[2];
  const int ranks = size * (size - 1) / 2;
  for (int i = 0; i < 3; ++i) MPI_Type_create_f90_real(precisions[i], MPI_UNDEFINED, &types[i]);
  MPI_Allreduce(f, f_sum, 2, types[0], MPI_SUM, comm);
  MPI_Allreduce(d, d_sum, 2, types[1], MPI_SUM, comm);
  MPI_Allreduce(l, l_sum, 2, types[2], MPI_SUM, comm);
  CHECK(f_sum[0] == ranks && f_sum[1] == size);
  CHECK(d_sum[0] == ranks && d_sum[1] == size);
  CHECK(l_sum[0] == ranks && l_sum[1] == size);
}

static void check_errors_of_claimed_messages(MPI_Comm forgiving, int rank) {
  const int out[4] = {1, 2, 3, 4};
  int in[4];
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  MPI_Isend(out, 4, MPI_INT, rank, 5, forgiving, &request);
  MPI_Mprobe(rank, 5, forgiving, &message, &status);
  CHECK(class_of(MPI_Mrecv(in, 1, MPI_INT, &message, &status)) == MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bsend_init(out, 4, MPI_INT, rank, 6, forgiving, &request);
  CHECK(class_of(MPI_Start(&request)) == MPI_ERR_BUFFER);
  MPI_Request_free(&request);
}

static void check_requests_of_the_program(void) {
  static int fine = MPI_SUCCESS, bad = MPI_ERR_OTHER;
  MPI_Request request, kept;
  MPI_Grequest_start(query, forget, cancel, &fine, &request);
  kept = request;
  MPI_Request_free(&request);
  CHECK(forgotten == 0);
  MPI_Grequest_complete(kept);
  CHECK(forgotten == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Grequest_start(query, forget, cancel, &bad, &request);
  MPI_Grequest_complete(request);
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_OTHER);
  CHECK(forgotten == 2);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void check_in_place(MPI_Comm comm, int rank, int size) {
  MPI_Datatype unset[16], types[16];
  int counts[16], places[16], values[16];
  if (size > 16) return;
  memset(unset, 0x5a, sizeof unset);
  for (int i = 0; i < size; ++i) {
    types[i] = MPI_INT;
    counts[i] = 1;
    places[i] = i * (int)sizeof(int);
    values[i] = 100 * rank + i;
  }
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, unset, values, counts, places, types, comm);
  for (int i = 0; i < size; ++i) CHECK(values[i] == 100 * i + rank);
}

int main(int argc, char** argv) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, rank, size;
  CHECK(class_of(MPI_ERR_COMM) == MPI_ERR_COMM);
  CHECK(MPI_Error_string(MPI_ERR_COMM, text, &length) == MPI_SUCCESS && length > 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm forgiving;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
  MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);
  check_flush_that_is_given_up(MPI_COMM_WORLD, rank);
  check_types_by_precision(MPI_COMM_WORLD, rank, size);
  check_errors_of_claimed_messages(forgiving, rank);
  check_requests_of_the_program();
  check_in_place(MPI_COMM_WORLD, rank, size);
  MPI_Comm_free(&forgiving);
  return finish();
}
