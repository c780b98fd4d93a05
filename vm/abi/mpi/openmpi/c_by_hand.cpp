// What Open MPI's binary interface has besides the standard's functions: constants that are functions, variables,
// an extension.

#include "vm/abi/mpi/constants.hpp"

using namespace nasvm::mpi;

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

// Of openmpi/fortran.cpp, or of the program, which may have them as common blocks of its own.
extern int mpi_fortran_status_ignore_[2];
extern int mpi_fortran_statuses_ignore_[2];
int* MPI_F_STATUS_IGNORE = mpi_fortran_status_ignore_;
int* MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;

/// Of Open MPI's extensions (mpi-ext.h): memory of graphics processors is none that messages may be in.
int MPIX_Query_cuda_support() { return 0; }

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
