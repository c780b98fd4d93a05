#pragma once
/// \file
/// MpiTask: a task of a program that mpirun has started, transport `mpi`. What Task is on our own machine, as far as
/// kernels need it: a Comm, what to do, and a way to report.
///
/// Built only where Open MPI is; programs of MPI tasks are programs of their own, because loading MPI's libraries
/// would delay the start of every other one.

#include <memory>
#include <string>
#include <string_view>

#include "vm/comm.hpp"

namespace nasvm {

class MpiTask {
 public:
  /// Initializes MPI. Blocks until all tasks of the program have come. Throws UsageError when the launcher
  /// (vm/launch/mpirun.hpp) has not started this process.
  MpiTask();
  ~MpiTask();
  MpiTask(const MpiTask&) = delete;
  MpiTask& operator=(const MpiTask&) = delete;

  [[nodiscard]] Comm& comm();
  /// What the console said to all tasks of the program.
  [[nodiscard]] const std::string& setup() const;
  /// Name of this task's host.
  [[nodiscard]] const std::string& host() const;
  /// Gives a result to the console; any length, once or several times.
  void report(std::string_view text);
  /// Leaves in good order, together with all others. Collective.
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The main function of such a task: joins, runs `body`, leaves; errors go to the console. Returns the exit status.
int run_mpi_task(void (*body)(MpiTask&));

}  // namespace nasvm
