/* The first task has too little room for what the second one contributes: it ends, whatever its error handler is. With
 * an argument in the background. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int sent[4] = {0};
  int rank, got[2];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int count = rank == 0 ? 1 : 4;
  if (argc > 1) {
    MPI_Igather(sent, count, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Gather(sent, count, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("goes on\n");
  MPI_Finalize();
  return 0;
}
