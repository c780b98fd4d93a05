/* What MPI-4.0 has changed: who hears of errors of calls that name no communicator, and splitting by hardware. */
#include "../../openmpi/programs/check.h"

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

int main(int argc, char** argv) {
  int rank, size, shared;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Info info;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Info_create(&info);
  CHECK(class_of(MPI_Info_delete(info, "nothing")) == MPI_ERR_INFO_NOKEY);

  /* All tasks are on one host: it is the whole, and no part of it is known. */
  MPI_Comm part = MPI_COMM_SELF;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  MPI_Comm_size(part, &shared);
  CHECK(shared == size);
  MPI_Comm_free(&part);
  MPI_Info_set(info, "mpi_hw_resource_type", "L3Cache");
  const int types[3] = {MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
  for (int i = 0; i < 3; ++i) {
    part = MPI_COMM_SELF;
    MPI_Comm_split_type(MPI_COMM_WORLD, types[i], 0, info, &part);
    CHECK(part == MPI_COMM_NULL);
  }
  MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
  CHECK(part != MPI_COMM_NULL);
  MPI_Comm_size(part, &shared);
  CHECK(shared == size);
  MPI_Comm_free(&part);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Comm_split_type(MPI_COMM_WORLD, 999, 0, info, &part)) == MPI_ERR_ARG);
  MPI_Info_free(&info);
  return finish();
}
