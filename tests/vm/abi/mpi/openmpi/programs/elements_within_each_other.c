/* Reductions of types with holes: what lies there is left alone, elements may lie within each other, as the columns
 * of a matrix by rows do, and types may have addresses of their own, from MPI_BOTTOM on. */
#include "check.h"

enum { n = 4 };

/* Not commutative: the data of the lower task counts. */
static void lower(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int column = 0; column < *count; ++column) {
    for (int row = 0; row < n; ++row) ((double*)inout)[n * row + column] = ((double*)in)[n * row + column];
  }
}

static void sum(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int column = 0; column < *count; ++column) {
    for (int row = 0; row < n; ++row) ((double*)inout)[n * row + column] += ((double*)in)[n * row + column];
  }
}

static int is_all(const double* matrix, double factor, double shift, int columns) {
  for (int at = 0; at < n * n; ++at) {
    const double expected = at % n < columns ? factor * at + shift : -1;
    if (matrix[at] != expected) return 0;
  }
  return 1;
}

static void clear(double* matrix) {
  for (int at = 0; at < n * n; ++at) matrix[at] = -1;
}

static double parts[3];
static MPI_Aint places[2];

static void sum_at_places(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  CHECK(*count == 1);
  for (int i = 0; i < 2; ++i) *(double*)((char*)inout + places[i]) += *(double*)((char*)in + places[i]);
}

static void check_addresses(int rank, int size) {
  const double ranks = size * (size - 1) / 2;
  const int lengths[2] = {1, 1};
  MPI_Datatype type;
  MPI_Op op;
  for (int i = 0; i < 2; ++i) MPI_Get_address(&parts[2 * i], &places[i]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(sum_at_places, 1, &op);
  for (int at_root = 0; at_root < 2; ++at_root) {
    const int root = size - 1, has_result = !at_root || rank == root;
    for (int i = 0; i < 3; ++i) parts[i] = rank + 10 * i;
    if (at_root) {
      MPI_Reduce(rank == root ? MPI_IN_PLACE : MPI_BOTTOM, MPI_BOTTOM, 1, type, op, root, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, MPI_COMM_WORLD);
    }
    CHECK(parts[0] == (has_result ? ranks : rank));
    CHECK(parts[1] == rank + 10);
    CHECK(parts[2] == (has_result ? ranks + 20 * size : rank + 20));
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype spread, column;
  MPI_Type_vector(n, 1, n, MPI_DOUBLE, &spread);
  MPI_Type_create_resized(spread, 0, sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Op first, total;
  MPI_Op_create(lower, 0, &first);
  MPI_Op_create(sum, 1, &total);
  double own[n * n], result[n * n];
  for (int at = 0; at < n * n; ++at) own[at] = at + 100 * rank;
  const double ranks = size * (size - 1) / 2;

  clear(result);
  MPI_Allreduce(own, result, n, column, total, MPI_COMM_WORLD);
  CHECK(is_all(result, size, 100 * ranks, n));
  clear(result);
  MPI_Allreduce(own, result, n, column, first, MPI_COMM_WORLD);
  CHECK(is_all(result, 1, 0, n));
  clear(result);
  MPI_Allreduce(own, result, 2, column, total, MPI_COMM_WORLD);
  CHECK(is_all(result, size, 100 * ranks, 2));

  for (int at = 0; at < n * n; ++at) result[at] = own[at];
  MPI_Allreduce(MPI_IN_PLACE, result, n, column, total, MPI_COMM_WORLD);
  CHECK(is_all(result, size, 100 * ranks, n));

  clear(result);
  MPI_Reduce(own, result, n, column, first, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1) CHECK(is_all(result, 1, 0, n));
  clear(result);
  MPI_Scan(own, result, n, column, total, MPI_COMM_WORLD);
  CHECK(is_all(result, rank + 1, 100.0 * rank * (rank + 1) / 2, n));
  clear(result);
  MPI_Exscan(own, result, n, column, total, MPI_COMM_WORLD);
  if (rank > 0) CHECK(is_all(result, rank, 100.0 * rank * (rank - 1) / 2, n));

  /* The columns of each of `size` matrices to one task. */
  double many[8 * n * n];
  int counts[8] = {0};
  counts[size - 1] = n;
  for (int at = 0; at < n * n; ++at) many[at] = own[at];
  clear(result);
  MPI_Reduce_scatter(many, result, counts, column, total, MPI_COMM_WORLD);
  CHECK(rank == size - 1 ? is_all(result, size, 100 * ranks, n) : is_all(result, 0, 0, 0));

  /* One column, and nothing else of the matrix. */
  MPI_Type_commit(&spread);
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int at = 0; at < n * n; ++at) result[at] = in_place && at % n == 0 ? own[at] : -1;
    MPI_Allreduce(in_place ? MPI_IN_PLACE : own, result, 1, spread, total, MPI_COMM_WORLD);
    CHECK(is_all(result, size, 100 * ranks, 1));
  }
  clear(result);
  MPI_Scan(own, result, 1, spread, total, MPI_COMM_WORLD);
  CHECK(is_all(result, rank + 1, 100.0 * rank * (rank + 1) / 2, 1));

  check_addresses(rank, size);

  MPI_Op_free(&first);
  MPI_Op_free(&total);
  MPI_Type_free(&spread);
  MPI_Type_free(&column);
  return finish();
}
