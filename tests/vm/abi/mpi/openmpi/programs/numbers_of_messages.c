/* Numbers of handles in Fortran: a message that was probed for becomes a request, and takes no other one's number. */
#include "check.h"

enum { first, second, third };

int main(int argc, char** argv) {
  int rank, size, got[3] = {-1, -1, -1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request pending, request;
  MPI_Message message;

  MPI_Irecv(&got[0], 1, MPI_INT, before, first, MPI_COMM_WORLD, &pending);
  const MPI_Fint number = MPI_Request_c2f(pending);
  MPI_Send(&rank, 1, MPI_INT, next, second, MPI_COMM_WORLD);
  MPI_Mprobe(before, second, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(message)) == message);
  MPI_Mrecv(&got[1], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NULL && got[1] == before);
  CHECK(MPI_Request_f2c(number) == pending);

  MPI_Send(&rank, 1, MPI_INT, next, third, MPI_COMM_WORLD);
  MPI_Mprobe(before, third, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  (void)MPI_Message_c2f(message);
  MPI_Imrecv(&got[2], 1, MPI_INT, &message, &request);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
  CHECK(MPI_Request_f2c(number) == pending);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got[2] == before);

  MPI_Send(&rank, 1, MPI_INT, next, first, MPI_COMM_WORLD);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  CHECK(got[0] == before);
  return finish();
}
