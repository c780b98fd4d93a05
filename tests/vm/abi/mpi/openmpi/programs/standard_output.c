/* How standard output is buffered; with an argument, a line that is written before a signal ends the first task. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>

static const char* buffering(void) { return __flbf(stdout) ? "by line" : "by block"; }

int main(int argc, char** argv) {
  const char* const at_first = buffering();
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%s\n", at_first);
  if (argc > 1 && rank == 0) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
