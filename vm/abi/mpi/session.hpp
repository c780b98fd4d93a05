#pragma once
/// \file
/// Sessions: uses of the library that know nothing of each other, nor of MPI_Init (MPI-4.0, section 11.3). All stand
/// on one machine, which is joined by whichever comes first.

#include <string>

#include "vm/abi/mpi/buffer.hpp"
#include "vm/abi/mpi/error_handler.hpp"
#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi {

struct Session : Object {
  Session() : Object(Kind::session) {}
  Ref<ErrorHandler> handler;
  std::string name;  ///< for messages; sessions have none
  Buffer buffer;     ///< of communicators that come from it and have none of their own
};

}  // namespace nasvm::mpi
