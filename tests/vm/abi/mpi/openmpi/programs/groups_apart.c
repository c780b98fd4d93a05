/* Communicators of two groups made in one call, and a sum of characters in each, as Open MPI allows. */
#include "check.h"

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  MPI_Group all, half;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int every_second[1][3] = {{rank % 2, size - 1, 2}};
  MPI_Group_range_incl(all, 1, every_second, &half);
  MPI_Comm created;
  MPI_Comm_create(MPI_COMM_WORLD, half, &created);
  int place, members, expected;
  MPI_Group_size(half, &expected);
  MPI_Comm_rank(created, &place);
  MPI_Comm_size(created, &members);
  CHECK(place == rank / 2);
  CHECK(members == expected);

  const char one = 1;
  char sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_CHAR, MPI_SUM, created);
  CHECK(sum == members);

  MPI_Comm_free(&created);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  return finish();
}
