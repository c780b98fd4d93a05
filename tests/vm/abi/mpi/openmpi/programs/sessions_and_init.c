/* A session that is there before MPI_Init, and after MPI_Finalize: the two know nothing of each other. */
#include "mpi4.h"

#include "check.h"

int main(int argc, char** argv) {
  int rank = 0, sum = 0, size = 0, flag = 0;
  MPI_Session session, later;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&flag);
  CHECK(flag);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Finalize();
  MPI_Finalized(&flag);
  CHECK(flag);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Comm_free(&comm);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &later);
  MPI_Session_finalize(&session);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&later);
  if (rank == 0 && sum == 0) printf("all right\n");
  return sum != 0;
}
