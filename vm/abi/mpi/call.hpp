#pragma once
/// \file
/// What stands around every function of a face: the library must be running, the call is counted and timed, errors
/// go to the error handler.

#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/turns.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"

namespace nasvm::mpi {

/// Whose error handler hears of a call's errors; none: that of MPI_COMM_WORLD or MPI_COMM_SELF (errors_go_to_self).
struct Concerned {
  Concerned(std::nullptr_t) {}
  Concerned(Communicator* of) : comm(of) {}
  Concerned(Session* of) : session(of) {}
  Communicator* comm = nullptr;
  Session* session = nullptr;
};

namespace detail {
/// Ends the program: that function was called before MPI_Init or after MPI_Finalize.
[[noreturn]] void complain_of_phase(Function function);
/// Hands the exception that is being handled to the error handler. Returns the code for the program.
int handle_failure(Function function, Concerned concerned);
/// The same while the library does not run: the program ends, unless it has handed over MPI_ERRORS_RETURN.
int end_after_failure(Function function);
}  // namespace detail

template <Timed timed, typename Body>
int call(Function function, Concerned concerned, const Body& body) {
  Process& here = process();
  if (here.phase() != Process::Phase::running) detail::complain_of_phase(function);
  const Turn turn;
  here.statistics.count(function);
  if constexpr (timed == Timed::no) {
    try {
      body();
      return success;
    } catch (...) {
      return detail::handle_failure(function, concerned);
    }
  } else {
    Comm& world = *here.world().messages;
    const Function outer = here.statistics.running;
    here.statistics.running = function;
    abi::Whereabouts& seen = abi::whereabouts();
    const std::uint32_t outside = seen.function.load(std::memory_order_relaxed);
    seen.enter(static_cast<std::uint32_t>(function));
    world.enter_call(timed == Timed::unless_quick ? &here.statistics.quick(function) : nullptr);
    int code = success;
    try {
      body();
    } catch (...) {
      code = detail::handle_failure(function, concerned);
    }
    here.statistics.time(function, world.leave_call());
    here.statistics.running = outer;
    seen.leave(outside);
    return code;
  }
}

/// The same of a function that may be called while the library does not run, too.
template <typename Body>
int call_at_any_time(Function function, const Body& body) {
  if (process().phase() == Process::Phase::running) return call<Timed::no>(function, nullptr, body);
  try {
    body();
    return success;
  } catch (...) {
    return detail::end_after_failure(function);
  }
}

/// MPI_Init and MPI_Finalize. What goes wrong ends the program.
void begin_program(ThreadLevel level);
void end_program();
/// A session begins and ends. It joins the machine where nothing else has; the same holds for errors.
void begin_session(ThreadLevel level);
void end_session();

/// Ends the program: it has called a function that is not there.
[[noreturn]] void complain_of_missing(const char* function);

}  // namespace nasvm::mpi
