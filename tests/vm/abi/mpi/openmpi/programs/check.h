/* What the programs of these tests have in common: they say what is wrong, and the first task whether all was right.
 */
#include <mpi.h>
#include <stdio.h>

static int wrong = 0;

#define CHECK(holds)                                    \
  do {                                                  \
    if (!(holds)) {                                     \
      ++wrong;                                          \
      printf("wrong: %s, line %d\n", #holds, __LINE__); \
    }                                                   \
  } while (0)

static int finish(void) {
  int rank, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all right\n");
  MPI_Finalize();
  return all != 0;
}
