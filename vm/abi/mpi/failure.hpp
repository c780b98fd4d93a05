#pragma once
/// \file
/// Errors of MPI calls: thrown by the core, handed to the error handler of the communicator by the faces (call.hpp).

#include <memory>

#include "vm/abi/mpi/constants.hpp"

namespace nasvm::mpi {

struct Communicator;
struct ErrorHandler;

struct Failure {
  int code = err_other;                ///< a class of errors, or a code of the program's
  Communicator* comm = nullptr;        ///< whose error handler hears of it, where that is not the call's own
  ErrorHandler* handler = nullptr;     ///< that hears of it, where it has been given to the call
  std::shared_ptr<const void> kept{};  ///< keeps `comm`, of which what has failed may have been the last user
  int cause = success;                 ///< of err_in_status: the code of the first request that has failed
};

[[noreturn]] inline void fail(int code) { throw Failure{code, nullptr, nullptr, {}, success}; }
inline void require(bool holds, int code) {
  if (!holds) fail(code);
}

}  // namespace nasvm::mpi
