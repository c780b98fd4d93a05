#pragma once
/// \file
/// Error handlers of communicators (MPI-3.1, section 8.3).

#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/seam.hpp"

namespace nasvm::mpi {

/// Numbers of the predefined ones.
enum PredefinedHandler : int { no_handler, errors_are_fatal, errors_return, errors_throw, errors_abort };
inline constexpr int predefined_handlers = 5;

struct ErrorHandler : Object {
  explicit ErrorHandler(int number) : Object(Kind::errhandler, number) {}
  explicit ErrorHandler(const UserFunction& called) : Object(Kind::errhandler), function(called) {}
  UserFunction function;
};

ErrorHandler& predefined_handler(int number);

}  // namespace nasvm::mpi
