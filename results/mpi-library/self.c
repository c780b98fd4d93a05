/* What messages of 8 bytes to the task itself take: MPI_Irecv, MPI_Send and MPI_Wait; MPI_Send and MPI_Recv. The least
   of 50 series of 20000. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char in[8] = {0}, out[8] = {0};
  double least[2] = {1, 1};
  for (int series = 0; series < 100; ++series) {
    double begin = MPI_Wtime();
    for (int i = 0; i < 20000; ++i) {
      if (series % 2 == 0) {
        MPI_Request request;
        MPI_Irecv(in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
        MPI_Send(out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
        MPI_Recv(in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      }
    }
    double each = (MPI_Wtime() - begin) / 20000;
    if (each < least[series % 2]) least[series % 2] = each;
  }
  printf("%.1f %.1f", least[0] * 1e9, least[1] * 1e9);
  MPI_Finalize();
}
