#pragma once
/// \file
/// Programs over transport `mpi`: Open MPI's mpirun starts the tasks and moves their messages; this watches over it.
/// What Machine is for our own transports. Everything that a run starts or creates is gone when `run` returns.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm {

class MpiRunner {
 public:
  /// Hosts that are this one become one for mpirun; it reaches the others by ssh, in its own way. Throws UsageError
  /// when mpirun is not installed.
  explicit MpiRunner(std::vector<HostSpec> hosts = loopback_host());
  ~MpiRunner();
  MpiRunner(const MpiRunner&) = delete;
  MpiRunner& operator=(const MpiRunner&) = delete;

  /// As Machine::run; `program.path` is a program of MpiTasks, `program.transport` is "mpi" with its parameters.
  /// Throws RunError naming what died first, Interrupted, or what a task gave up with; can run again after that.
  std::vector<std::string> run(const Machine::Program& program);

  /// Process id of mpirun while it runs, and of the tasks by rank (those on this host), once all have joined.
  [[nodiscard]] long mpirun_pid() const;
  [[nodiscard]] std::vector<long> task_pids() const;
  /// Called when all tasks of a program have joined.
  void on_start(std::function<void()> callback);

 private:
  class Job;
  std::vector<HostSpec> hosts_;
  std::string mpirun_;
  std::function<void()> on_start_;
  std::unique_ptr<Job> job_;  ///< of the running program
};

/// The program `name` of MPI tasks, beside this program. Throws UsageError when it has not been built.
std::string mpi_task_program(const std::string& name = "nasvm-mpi-task");

}  // namespace nasvm
