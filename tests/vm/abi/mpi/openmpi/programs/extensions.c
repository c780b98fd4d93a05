/* What Open MPI has by names of its own (mpi-ext.h): persistent collectives as they were called before MPI-4, and the
 * question whether messages may be in the memory of graphics processors. */
#include "check.h"

int MPIX_Query_cuda_support(void);
int MPIX_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request);
int PMPIX_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request);

int main(int argc, char** argv) {
  int rank, size, sum = -1;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(MPIX_Query_cuda_support() == 0);
  MPIX_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Request_free(&request);
  PMPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return finish();
}
