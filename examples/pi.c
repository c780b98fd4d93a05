/* Pi by the midpoint rule, divided among the tasks of an MPI program.
 *
 *   nasvm mpicc -o pi pi.c        (or Open MPI's mpicc)
 *   nasvm exec --np 4 --transport daemon,direct,shm -- ./pi 10000000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size;
  double part = 0, pi = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long steps = argc > 1 ? atol(argv[1]) : 1000000;
  for (long i = rank; i < steps; i += size) {
    const double x = (i + 0.5) / steps;
    part += 4 / (1 + x * x) / steps;
  }
  MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("pi is about %.9f\n", pi);
  MPI_Finalize();
  return 0;
}
