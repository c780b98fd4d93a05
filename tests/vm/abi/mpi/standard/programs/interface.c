/* What differs in the standard's binary interface: values of constants, statuses, large counts, attributes that are
 * copied by constants. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int wrong = 0;
static void expect(int is_right, int line) {
  if (is_right) return;
  fprintf(stderr, "line %d: not so\n", line);
  ++wrong;
}
#define EXPECT(what) expect(what, __LINE__)

static void sum_large(void* in, void* inout, MPI_Count* length, MPI_Datatype* datatype) {
  EXPECT(*datatype == MPI_INT);
  for (MPI_Count i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void check_messages(int rank, int size) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  int out[3] = {rank, 2, 3}, in[3] = {0, 0, 0};
  MPI_Request request;
  MPI_Status around[3];
  MPI_Status* const status = &around[1];
  MPI_Count count = 0;
  memset(around, 0x55, sizeof around);
  MPI_Isend_c(out, 3, MPI_INT, to, 7, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  EXPECT(status->MPI_TAG == 7 && status->MPI_SOURCE == from);
  MPI_Recv_c(in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(request == MPI_REQUEST_NULL);
  EXPECT(in[0] == from && in[2] == 3);
  MPI_Get_count_c(status, MPI_INT, &count);
  EXPECT(count == 3);
  EXPECT(around[0].MPI_internal[4] == 0x55555555 && around[2].MPI_SOURCE == 0x55555555);
  MPI_Recv(in, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status);
  EXPECT(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG);
  MPI_Sendrecv(out, 3, MPI_INT, to, 8, in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  EXPECT(status->MPI_TAG == 8 && status->MPI_SOURCE == from);
}

static void check_collectives(int rank, int size) {
  int own = rank, all[64], sum = 0;
  MPI_Count counts[64] = {0};
  MPI_Aint places[64] = {0};
  MPI_Request request;
  MPI_Op op;
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = size - 1 - i;
  MPI_Iallgatherv_c(&own, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) EXPECT(all[i] == size - 1 - i);
  MPI_Gatherv_c(&own, 1, MPI_INT, all, rank == 0 ? counts : NULL, rank == 0 ? places : NULL, MPI_INT, 0,
                MPI_COMM_WORLD);
  MPI_Op_create_c(sum_large, 1, &op);
  MPI_Allreduce_c(&own, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  EXPECT(sum == size * (size - 1) / 2);
  MPI_Op_free(&op);
  sum = rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == size * (size - 1) / 2 && op == MPI_OP_NULL);
}

static void check_attributes(void) {
  int keyval = 0, flag = 0, other = 0;
  void* value = NULL;
  MPI_Comm copy;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &wrong);
  MPI_Comm_set_attr(MPI_COMM_SELF, other, &wrong);
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT(flag && value == &wrong);
  MPI_Comm_get_attr(copy, other, &value, &flag);
  EXPECT(!flag);
  MPI_Comm_free(&copy);
  EXPECT(copy == MPI_COMM_NULL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  EXPECT(flag && *(int*)value >= 32767);
}

static const MPI_Count many = 3000000000;
static char* room;
static MPI_Count seen = 0;

static void see_part(void* in, void* inout, MPI_Count* length, MPI_Datatype* datatype) {
  (void)datatype;
  EXPECT((char*)in == room + seen && inout == in);
  seen += *length;
}

/* More than an int holds, in memory of which next to nothing is touched. */
static void check_large_counts(void) {
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype holes;
  MPI_Op op;
  MPI_Count count = 0;
  int small = 0;
  room = mmap(NULL, many, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(room != MAP_FAILED);
  if (room == MAP_FAILED) return;
  for (int number = 0; number < 2; ++number) {
    MPI_Request sent;
    MPI_Isend("abc", 3, MPI_BYTE, 0, 1, MPI_COMM_SELF, &sent);
    if (number == 0) {
      MPI_Recv_c(room, many, MPI_BYTE, 0, 1, MPI_COMM_SELF, &status);
    } else {
      MPI_Irecv_c(room + 3, many - 3, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
      MPI_Wait(&request, &status);
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    EXPECT(count == 3);
  }
  EXPECT(strcmp(room, "abcabc") == 0);
  EXPECT(MPI_Bcast_c(room, many, MPI_BYTE, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  EXPECT(MPI_Ibcast_c(room, many, MPI_BYTE, 0, MPI_COMM_SELF, &request) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(MPI_Send_c(room, (MPI_Count)1 << 40, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  MPI_Status_set_elements_c(&status, MPI_INT, many);
  MPI_Get_count_c(&status, MPI_INT, &count);
  EXPECT(count == many);
  count = 0;
  MPI_Get_elements_c(&status, MPI_INT, &count);
  EXPECT(count == many);
  MPI_Get_count(&status, MPI_INT, &small);
  EXPECT(small == MPI_UNDEFINED);
  MPI_Op_create_c(see_part, 1, &op);
  MPI_Reduce_local_c(room, room, many, MPI_BYTE, op);
  EXPECT(seen == many);
  MPI_Op_free(&op);
  munmap(room, many);
  /* As many of a type with holes. */
  MPI_Type_vector(2, 1, 2, MPI_INT, &holes);
  MPI_Type_commit(&holes);
  EXPECT(MPI_Send_c(NULL, many, holes, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_Send_c(NULL, (MPI_Count)1 << 62, holes, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  MPI_Type_free(&holes);
}

static void check_errors(void) {
  int major = 0, minor = -1, comparison = 0, byte = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT(MPI_Send(&byte, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &comparison);
  EXPECT(comparison == MPI_IDENT);
  EXPECT(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  MPI_Abi_get_version(&major, &minor);
  EXPECT(major == 1 && minor == 0);
}

int main(int argc, char** argv) {
  int rank, size, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(sizeof(MPI_Status) == 32);
  EXPECT(MPI_F_STATUS_SIZE == 8 && MPI_F_SOURCE == 0 && MPI_F_TAG == 1 && MPI_F_ERROR == 2);
  check_messages(rank, size);
  check_collectives(rank, size);
  check_attributes();
  check_errors();
  check_large_counts();
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "all right" : "wrong");
  MPI_Finalize();
  return 0;
}
