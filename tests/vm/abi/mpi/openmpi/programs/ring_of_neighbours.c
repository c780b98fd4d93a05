/* A ring of two tasks, and of one: both neighbours are the same task, and what it sends up comes from below. */
#include "check.h"

static void check_ring(MPI_Comm among) {
  int size;
  MPI_Comm_size(among, &size);
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(among, 1, &size, &periodic, 0, &ring);
  enum { down = -1, up = 1 };
  const int given[2] = {down, up};
  int came[2] = {0, 0};
  MPI_Neighbor_alltoall(given, 1, MPI_INT, came, 1, MPI_INT, ring);
  CHECK(came[0] == up && came[1] == down);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm pairs;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pairs); /* the last of an odd number is alone */
  check_ring(pairs);
  MPI_Comm_free(&pairs);
  check_ring(MPI_COMM_WORLD);
  return finish();
}
