#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  MPI_Comm used = freed;
  MPI_Comm_free(&freed);
  MPI_Barrier(used);
  MPI_Finalize();
  return 0;
}
