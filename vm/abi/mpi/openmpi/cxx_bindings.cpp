// What Debian's libmpi_cxx wants of Open MPI's library beside MPI's functions. `mpicxx` links the C++ bindings of
// MPI-2 with every program, and the loader wants the variables also where a program never calls them. The functions
// are only called by callbacks in C++: operations, attributes and error handlers of that language.

#include <cstddef>

#include "vm/abi/mpi/call.hpp"

using namespace nasvm::mpi;

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

// NOLINTBEGIN(readability-identifier-naming): Open MPI's names
extern "C" {

/// Tables of Open MPI's own codes and of data representations, which stay empty.
int ompi_errcode_intern_lastused = 0;
alignas(std::max_align_t) std::byte ompi_errcodes_intern[0x78]{};
alignas(std::max_align_t) std::byte ompi_registered_datareps[0x40]{};

void ompi_attr_create_keyval() { complain_of_missing("Create_keyval of MPI's C++ bindings"); }
void ompi_errhandler_create() { complain_of_missing("Create_errhandler of MPI's C++ bindings"); }
void ompi_errhandler_invoke() { complain_of_missing("Call_errhandler of MPI's C++ bindings"); }
void ompi_op_set_cxx_callback() { complain_of_missing("MPI::Op::Init of MPI's C++ bindings"); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

#pragma GCC visibility pop
