/* The second of three requests fails, and the communicator's handler ends the program: by the call that its argument
 * says. */
#include <mpi.h>
#include <stdlib.h>

enum { first, too_long, last };

int main(int argc, char** argv) {
  const int way = argc > 1 ? atoi(argv[1]) : 0;
  const int sent[4] = {1, 2, 3, 4};
  int got[3], indices[3], count, flag = 0;
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Irecv(&got[0], 1, MPI_INT, 0, first, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, 0, too_long, MPI_COMM_SELF, &requests[1]);
  MPI_Irecv(&got[2], 1, MPI_INT, 0, last, MPI_COMM_SELF, &requests[2]);
  MPI_Send(sent, 1, MPI_INT, 0, first, MPI_COMM_SELF);
  MPI_Send(sent, 4, MPI_INT, 0, too_long, MPI_COMM_SELF);
  MPI_Send(sent, 1, MPI_INT, 0, last, MPI_COMM_SELF);
  if (way == 0) MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  if (way == 1) MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
  while (way == 2 && !flag) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  if (way == 3) MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
