/* Counts, displacements and sizes that do not fit into an int (MPI-5.0, section 2.5.8), without as much data: of types
 * without data, and at places far behind the beginning of memory of which hardly anything is touched. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../openmpi/programs/check.h"

#define MANY 3000000000LL /* elements, or bytes */
#define FAR 2500000000LL  /* bytes from the beginning of the room */

static int rank, size;
static char* room; /* MANY bytes that take memory where they are touched */

static void check_lists(void) {
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Count* many = malloc(size * sizeof *many);
  MPI_Count* ones = malloc(size * sizeof *ones);
  MPI_Aint* places = malloc(size * sizeof *places);
  MPI_Aint* from_zero = malloc(size * sizeof *from_zero);
  MPI_Datatype* types = malloc(size * sizeof *types);
  for (int i = 0; i < size; ++i) {
    many[i] = MANY + i;
    ones[i] = 1;
    places[i] = FAR + 5 * i;
    from_zero[i] = i;
    types[i] = MPI_BYTE;
  }
  CHECK(MPI_Alltoallv_c(room, many, places, nothing, room, many, places, nothing, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Reduce_scatter_c(room, room + 1, many, nothing, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_OP);

  char own = (char)('a' + rank);
  CHECK(MPI_Allgatherv_c(&own, 1, MPI_BYTE, room, ones, places, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < size; ++i) CHECK(room[places[i]] == 'a' + i);
  for (int i = 0; i < size; ++i) room[places[i]] = (char)('A' + rank);
  char in[16] = "";
  MPI_Request request;
  MPI_Ialltoallv_c(room, ones, places, MPI_BYTE, in, ones, from_zero, MPI_BYTE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) CHECK(in[i] == 'A' + i);
  memset(in, 0, sizeof in);
  MPI_Alltoallw_c(room, ones, places, types, in, ones, from_zero, types, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(in[i] == 'A' + i);
  memset(in, 0, sizeof in);
  MPI_Gatherv_c(room + places[0], 1, MPI_BYTE, in, ones, from_zero, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(rank != 0 || in[size - 1] == 'A' + size - 1);
  for (int i = 0; i < size; ++i) room[places[i]] = (char)('0' + i);
  MPI_Scatterv_c(room, ones, places, MPI_BYTE, in, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(in[0] == '0' + rank);

  int sums[8] = {0}, values[8], sum = 0;
  for (int i = 0; i < size; ++i) values[i] = i + rank;
  MPI_Ireduce_scatter_c(values, &sum, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * rank + size * (size - 1) / 2);
  MPI_Allreduce_init_c(values, sums, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  CHECK(sums[size - 1] == size * (size - 1) + size * (size - 1) / 2);

  MPI_Comm ring;
  int period = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
  const MPI_Count two[2] = {1, 1};
  const MPI_Aint out_at[2] = {FAR, FAR + 1}, in_at[2] = {0, 1};
  room[FAR] = room[FAR + 1] = (char)('k' + rank);
  MPI_Neighbor_alltoallv_c(room, two, out_at, MPI_BYTE, in, two, in_at, MPI_BYTE, ring);
  CHECK(in[0] == 'k' + (rank + size - 1) % size && in[1] == 'k' + (rank + 1) % size);
  MPI_Comm_free(&ring);
  many[0] = -1;
  CHECK(MPI_Alltoallv_c(room, many, places, nothing, room, many, places, nothing, MPI_COMM_SELF) == MPI_ERR_COUNT);
  free(many), free(ones), free(places), free(from_zero), free(types);
  MPI_Type_free(&nothing);
}

static void check_packing(void) {
  MPI_Count position = FAR, bytes = 0;
  int number = 7, read = 0, small = FAR - MANY;
  MPI_Pack_c(&number, 1, MPI_INT, room, MANY, &position, MPI_COMM_WORLD);
  CHECK(position == FAR + (MPI_Count)sizeof number);
  position = FAR;
  MPI_Unpack_c(room, MANY, &position, &read, 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(read == 7 && position == FAR + (MPI_Count)sizeof read);
  MPI_Pack_size_c(MANY, MPI_INT, MPI_COMM_WORLD, &bytes);
  CHECK(bytes == MANY * (MPI_Count)sizeof(int));
  CHECK(MPI_Pack_size(1 << 30, MPI_INT, MPI_COMM_WORLD, &small) == MPI_ERR_COUNT);
  small = 0;
  CHECK(MPI_Pack(&number, 1, MPI_INT, room, -1, &small, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE);
  CHECK(MPI_Unpack(room, -1, &small, &read, 1, MPI_INT, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE);
  CHECK(small == 0 && read == 7);
  position = FAR;
  MPI_Pack_external_c("external32", &number, 1, MPI_INT, room, MANY, &position);
  CHECK(position == FAR + 4 && room[FAR + 3] == 7);
  void* memory = NULL;
  MPI_Buffer_attach_c(room, MANY);
  MPI_Buffer_detach_c(&memory, &bytes);
  CHECK(memory == room && bytes == MANY);
  int other = rank;
  MPI_Sendrecv_replace_c(&other, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  CHECK(other == (rank + size - 1) % size);
}

typedef int Psend_init(const void*, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*);
typedef int Precv_init(void*, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*);
_Static_assert(_Generic(&MPI_Psend_init, Psend_init*: 1, default: 0), "an int, as in an erratum to MPI-4.0");
_Static_assert(_Generic(&MPI_Precv_init, Precv_init*: 1, default: 0), "an int, as in an erratum to MPI-4.0");

static void check_partitions(void) {
  MPI_Datatype nothing;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Precv_init_c(room, 2, MANY, nothing, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init_c(room, 2, MANY, nothing, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready_range(0, 1, requests[1]);
  MPI_Waitall(2, requests, statuses);
  CHECK(statuses[0].MPI_SOURCE == rank && statuses[0].MPI_TAG == 9);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  CHECK(MPI_Psend_init_c(room, 2, (MPI_Count)1 << 62, MPI_BYTE, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &requests[0]) == MPI_ERR_COUNT);
  MPI_Type_free(&nothing);
}

/* What the type says of itself, with as many large counts. */
static void check_contents(MPI_Datatype type, int combiner, int integers, const MPI_Count* counts, int how_many) {
  MPI_Count of_integers = -1, of_addresses = -1, of_counts = -1, of_types = -1, found[16];
  int said = 0, numbers[16];
  MPI_Datatype parts[2];
  MPI_Type_get_envelope_c(type, &of_integers, &of_addresses, &of_counts, &of_types, &said);
  CHECK(said == combiner && of_integers == integers && of_addresses == 0 && of_counts == how_many);
  MPI_Type_get_contents_c(type, of_integers, of_addresses, of_counts, of_types, numbers, NULL, found, parts);
  for (int i = 0; i < how_many; ++i) CHECK(found[i] == counts[i]);
  CHECK(parts[0] == MPI_BYTE);
}

static void check_types(void) {
  MPI_Datatype type, parts[1] = {MPI_BYTE};
  MPI_Count bytes = 0, lower = 0, extent = 0;
  int small = 0, none[1];
  MPI_Aint nowhere[1];

  MPI_Type_contiguous_c(MANY, MPI_BYTE, &type);
  MPI_Type_size_c(type, &bytes);
  MPI_Type_get_extent_c(type, &lower, &extent);
  CHECK(bytes == MANY && lower == 0 && extent == MANY);
  MPI_Type_size(type, &small);
  CHECK(small == MPI_UNDEFINED);
  check_contents(type, MPI_COMBINER_CONTIGUOUS, 0, (MPI_Count[]){MANY}, 1);
  CHECK(MPI_Type_get_contents(type, 1, 0, 1, none, nowhere, parts) == MPI_ERR_TYPE);
  CHECK(MPI_Type_get_contents(type, 1, 0, -1, none, nowhere, parts) == MPI_ERR_ARG);
  MPI_Type_free(&type);

  MPI_Type_vector_c(2, MANY, MANY + 1, MPI_BYTE, &type);
  MPI_Type_size_c(type, &bytes);
  CHECK(bytes == 2 * MANY);
  check_contents(type, MPI_COMBINER_VECTOR, 0, (MPI_Count[]){2, MANY, MANY + 1}, 3);
  MPI_Type_free(&type);

  const MPI_Count lengths[2] = {1, MANY}, places[2] = {0, FAR};
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_BYTE, &type);
  MPI_Type_get_true_extent_c(type, &lower, &extent);
  CHECK(extent == FAR + MANY);
  check_contents(type, MPI_COMBINER_HINDEXED, 0, (MPI_Count[]){2, 1, MANY, 0, FAR}, 5);
  MPI_Type_free(&type);

  const MPI_Datatype two[2] = {MPI_BYTE, MPI_INT};
  MPI_Type_create_struct_c(2, lengths, places, two, &type);
  MPI_Type_size_c(type, &bytes);
  CHECK(bytes == 1 + MANY * (MPI_Count)sizeof(int));
  MPI_Type_free(&type);

  MPI_Type_create_resized_c(MPI_BYTE, -FAR, 2 * MANY, &type);
  MPI_Type_get_extent_c(type, &lower, &extent);
  CHECK(lower == -FAR && extent == 2 * MANY);
  check_contents(type, MPI_COMBINER_RESIZED, 0, (MPI_Count[]){-FAR, 2 * MANY}, 2);
  MPI_Type_free(&type);

  const MPI_Count sizes[2] = {3, MANY}, parts_of[2] = {1, 2}, begin[2] = {1, FAR};
  MPI_Type_create_subarray_c(2, sizes, parts_of, begin, MPI_ORDER_C, MPI_BYTE, &type);
  MPI_Type_get_true_extent_c(type, &lower, &extent);
  CHECK(lower == MANY + FAR && extent == 2);
  check_contents(type, MPI_COMBINER_SUBARRAY, 2, (MPI_Count[]){3, MANY, 1, 2, 1, FAR}, 6);
  MPI_Type_free(&type);

  /* Two bytes, one of them far away, to the neighbour. */
  MPI_Type_create_indexed_block_c(2, 1, places, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  char in[2];
  room[0] = 'x', room[FAR] = (char)('a' + rank);
  MPI_Sendrecv_c(room, 1, type, (rank + 1) % size, 2, in, 2, MPI_BYTE, (rank + size - 1) % size, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  CHECK(in[0] == 'x' && in[1] == 'a' + (rank + size - 1) % size);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  room = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(room != MAP_FAILED);
  if (room != MAP_FAILED) {
    check_lists();
    check_packing();
    check_partitions();
    check_types();
  }
  return finish();
}
