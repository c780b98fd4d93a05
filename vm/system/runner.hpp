#pragma once
/// \file
/// Programs over a message system (transports `mpi`, `pvm`): the system, or its launcher here, starts the tasks and
/// moves their messages; a runner watches over them. What Machine is for our own transports.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/launch/machine.hpp"
#include "vm/system/table.hpp"

namespace nasvm {

class SystemRunner {
 public:
  /// `rsh`: the user's remote shell (--rsh), or empty. Throws UsageError when the system is not installed, or does
  /// not reach the hosts.
  explicit SystemRunner(const SystemRow& system, std::vector<HostSpec> hosts = loopback_host(), std::string rsh = {});
  ~SystemRunner();
  SystemRunner(const SystemRunner&) = delete;
  SystemRunner& operator=(const SystemRunner&) = delete;

  /// As Machine::run; `program.path` is a program of SystemTasks, `program.transport` the system with its parameters.
  /// Throws UsageError, RunError naming what died first, Interrupted, or what a task gave up with; can run again
  /// after that. Everything that a run starts or creates is gone when it returns.
  std::vector<std::string> run(const Machine::Program& program);

  /// Process id of what the system's work hangs on (mpirun, pvmd) while a program runs, and of the tasks by rank
  /// (those on this host), once all have joined.
  [[nodiscard]] long system_pid() const;
  [[nodiscard]] std::vector<long> task_pids() const;
  /// Called when all tasks of a program have joined.
  void on_start(std::function<void()> callback);

 private:
  std::vector<std::string> watch(const Machine::Program& program);
  void watch_to_end(const Machine::Program& program);

  const SystemRow& system_;
  std::vector<HostSpec> hosts_;
  std::string rsh_;
  SystemStarter start_;
  std::function<void()> on_start_;
  std::unique_ptr<SystemProcesses> processes_;  ///< of the running program
};

/// The program "nasvm-SYSTEM-KIND", built with this program. Throws UsageError when it is not beside it: it has not
/// been built, or not been copied.
std::string system_program(const SystemRow& system, std::string_view kind = "task");

/// What has to be installed or built before this program can run over a message system; "" when nothing has.
std::string lack_for(const SystemRow& system);

}  // namespace nasvm
