/* What programs seldom use: errors' texts, and errors of the program's own, before MPI_Init, flushes that are given up,
 * types by precision, errors of messages that were claimed, generalized requests that cannot be freed, types that
 * nobody has set where they do not count, grids of more places than an int holds, and shifts as far. */
#include <string.h>

#include "mpi4.h"

#include "check.h"

static int asked = 0, forgotten = 0;

static int query(void* state, MPI_Status* status) {
  (void)state;
  ++asked;
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
  for (int i = 0; i < 3; ++i) {
    MPI_Datatype again;
    MPI_Type_create_f90_real(precisions[i], MPI_UNDEFINED, &types[i]);
    MPI_Type_create_f90_real(precisions[i], MPI_UNDEFINED, &again);
    CHECK(again == types[i]);
  }
  MPI_Allreduce(f, f_sum, 2, types[0], MPI_SUM, comm);
  MPI_Allreduce(d, d_sum, 2, types[1], MPI_SUM, comm);
  MPI_Allreduce(l, l_sum, 2, types[2], MPI_SUM, comm);
  CHECK(f_sum[0] == ranks && f_sum[1] == size);
  CHECK(d_sum[0] == ranks && d_sum[1] == size);
  CHECK(l_sum[0] == ranks && l_sum[1] == size);
  /* As predefined types they cannot be freed, but their duplicates can. */
  MPI_Datatype complex_type, integer_type, copy = types[0];
  MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &complex_type);
  MPI_Type_create_f90_integer(6, &integer_type);
  CHECK(complex_type != types[0] && integer_type != types[0]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Type_free(&copy)) == MPI_ERR_TYPE && copy == types[0]);
  CHECK(class_of(MPI_Type_free(&complex_type)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Type_free(&integer_type)) == MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Type_dup(types[0], &copy);
  CHECK(MPI_Type_free(&copy) == MPI_SUCCESS && copy == MPI_DATATYPE_NULL);
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
  CHECK(forgotten == 1 && asked == 0);
  MPI_Grequest_start(query, forget, cancel, &fine, &request);
  MPI_Grequest_complete(request);
  MPI_Request_free(&request);
  CHECK(forgotten == 2 && asked == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Grequest_start(query, forget, cancel, &bad, &request);
  MPI_Grequest_complete(request);
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_OTHER);
  CHECK(forgotten == 3 && asked == 1);
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
  MPI_Alltoall(MPI_IN_PLACE, 0, unset[0], values, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) CHECK(values[i] == 100 * rank + i);
  for (int i = 0; i < size; ++i) places[i] = i;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, unset[0], values, counts, places, MPI_INT, comm);
  for (int i = 0; i < size; ++i) CHECK(values[i] == 100 * i + rank);
  MPI_Allgather(MPI_IN_PLACE, 0, unset[0], values, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) CHECK(values[i] == 101 * i);
}

/* The types of what the root alone gives or gets, and at the root in place. */
static void check_at_the_root(MPI_Comm comm, int rank, int size) {
  const int root = size - 1, is_root = rank == root;
  int own = 7 * rank, all[16], counts[16], places[16];
  MPI_Datatype unset;
  MPI_Request request;
  if (size > 16) return;
  memset(&unset, 0x5a, sizeof unset);
  const MPI_Datatype at_root = is_root ? MPI_INT : unset, elsewhere = is_root ? unset : MPI_INT;
  void* const from = is_root ? MPI_IN_PLACE : &own;
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = size - 1 - i;
    all[i] = -1;
  }
  all[root] = own;
  MPI_Gather(from, 1, elsewhere, all, 1, at_root, root, comm);
  for (int i = 0; is_root && i < size; ++i) CHECK(all[i] == 7 * i);
  all[0] = own;
  MPI_Gatherv(from, 1, elsewhere, all, counts, places, at_root, root, comm);
  for (int i = 0; is_root && i < size; ++i) CHECK(all[places[i]] == 7 * i);
  for (int i = 0; i < size; ++i) all[i] = 3 * i;
  MPI_Scatter(all, 1, at_root, from, 1, elsewhere, root, comm);
  CHECK(is_root || own == 3 * rank);
  MPI_Scatterv(all, counts, places, at_root, from, 1, elsewhere, root, comm);
  CHECK(is_root || own == 3 * (size - 1 - rank));

  own = 7 * rank;
  MPI_Igather(&own, 1, MPI_INT, all, 1, at_root, root, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; is_root && i < size; ++i) CHECK(all[i] == 7 * i);
  MPI_Iscatterv(all, counts, places, at_root, &own, 1, MPI_INT, root, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(own == 7 * (size - 1 - rank));
}

static void check_large_grids(MPI_Comm forgiving) {
  const int dims[2] = {641, 6700417}, periods[2] = {0, 0}; /* 2^32 + 1 */
  int place = 0;
  MPI_Comm grid;
  CHECK(class_of(MPI_Cart_create(forgiving, 2, dims, periods, 0, &grid)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Cart_map(forgiving, 2, dims, periods, &place)) == MPI_ERR_DIMS);
}

static void check_long_shift(MPI_Comm comm, int rank, int size) {
  const long long step = 2147483647;
  for (int period = 0; period < 2; ++period) {
    int source = -1, dest = -1;
    MPI_Comm grid;
    MPI_Cart_create(comm, 1, &size, &period, 0, &grid);
    for (int sign = -1; sign <= 1; sign += 2) {
      MPI_Cart_shift(grid, 0, sign * (int)step, &source, &dest);
      CHECK(dest == (period ? ((rank + sign * step) % size + size) % size : MPI_PROC_NULL));
      CHECK(source == (period ? ((rank - sign * step) % size + size) % size : MPI_PROC_NULL));
    }
    MPI_Comm_free(&grid);
  }
}

static void check_errors_of_the_program(void) {
  char text[MPI_MAX_ERROR_STRING];
  int class = -1, code = -1, length = 0;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "rain");
  CHECK(class_of(code) == class);
  CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && strcmp(text, "rain") == 0 && length == 4);
  CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(class) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, rank, size;
  CHECK(class_of(MPI_ERR_COMM) == MPI_ERR_COMM);
  CHECK(MPI_Error_string(MPI_ERR_COMM, text, &length) == MPI_SUCCESS && length > 0);
  check_errors_of_the_program();
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
  check_at_the_root(MPI_COMM_WORLD, rank, size);
  check_large_grids(forgiving);
  check_long_shift(MPI_COMM_WORLD, rank, size);
  MPI_Comm_free(&forgiving);
  return finish();
}
