/* A synchronous message to oneself is under way until it is received; counts in no datatype are an error. */
#include "check.h"

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int given = rank + 1, came = 0, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Issend(&given, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == rank && status.MPI_TAG == 3);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag && request != MPI_REQUEST_NULL);
  MPI_Recv(&came, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &status);
  CHECK(came == given);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);

  int count, kind;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Get_count(&status, MPI_DATATYPE_NULL, &count), &kind);
  CHECK(kind == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &count), &kind);
  CHECK(kind == MPI_ERR_TYPE);
  return finish();
}
