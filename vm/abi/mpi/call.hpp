#pragma once
/// \file
/// What stands around every function of a face: the library must be running, the call is counted and timed, errors
/// go to the error handler.

#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/turns.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"

namespace nasvm::mpi {

namespace detail {
/// Ends the program: that function was called before MPI_Init or after MPI_Finalize.
[[noreturn]] void complain_of_phase(Function function);
/// Hands the exception that is being handled to the error handler. Returns the code for the program.
int handle_failure(Function function, Communicator* comm);
}  // namespace detail

/// Makes the call of a function that concerns a communicator, or none.
template <Timed timed, typename Body>
int call(Function function, Communicator* comm, const Body& body) {
  Process& here = process();
  if (here.phase() != Process::Phase::running) detail::complain_of_phase(function);
  const Turn turn;
  here.statistics.count(function);
  if constexpr (timed == Timed::no) {
    try {
      body();
      return success;
    } catch (...) {
      return detail::handle_failure(function, comm);
    }
  } else {
    Comm& world = *here.world().messages;
    const Function outer = here.statistics.running;
    here.statistics.running = function;
    abi::Whereabouts& seen = abi::whereabouts();
    const std::uint32_t outside = seen.function.load(std::memory_order_relaxed);
    seen.enter(static_cast<std::uint32_t>(function));
    world.enter_call();
    int code = success;
    try {
      body();
    } catch (...) {
      code = detail::handle_failure(function, comm);
    }
    here.statistics.time(function, world.leave_call());
    here.statistics.running = outer;
    seen.leave(outside);
    return code;
  }
}

/// MPI_Init and MPI_Finalize. What goes wrong ends the program.
void begin_program(ThreadLevel level);
void end_program();

/// Ends the program: it has called a function that is not there.
[[noreturn]] void complain_of_missing(const char* function);

}  // namespace nasvm::mpi
