// What Open MPI's binary interface has besides the functions: constants that are functions, and variables.

#include "vm/abi/mpi/constants.hpp"

using namespace nasvm::mpi;

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

int* MPI_F_STATUS_IGNORE = nullptr;
int* MPI_F_STATUSES_IGNORE = nullptr;

int OMPI_C_MPI_COMM_DUP_FN(void*, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return success;
}
int OMPI_C_MPI_COMM_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return success;
}
int OMPI_C_MPI_COMM_NULL_DELETE_FN(void*, int, void*, void*) { return success; }

}  // extern "C"

#pragma GCC visibility pop

#include "openmpi_constant_names.hpp"
