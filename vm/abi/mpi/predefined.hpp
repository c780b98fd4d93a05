#pragma once
/// \file
/// The objects that are there from the start, by kind and number (predefined.table).

#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/error_handler.hpp"
#include "vm/abi/mpi/group.hpp"
#include "vm/abi/mpi/info.hpp"
#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/operation.hpp"

namespace nasvm::mpi {

/// The object; nullptr for a null handle, and for a communicator before MPI_Init. The first of a kind is the null
/// handle, but of datatypes: MPI_DATATYPE_NULL has a name.
Object* predefined(Kind kind, int number);

Group& empty_group();
Info& environment_info();

}  // namespace nasvm::mpi
