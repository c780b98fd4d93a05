#pragma once
/// \file
/// SystemTask: a task of a program whose messages a message system carries (transports `mpi` and `pvm`). What Task is
/// on our own machine, as far as kernels need it: a Comm, what to do, and a way to report.
///
/// Programs of such tasks are programs of their own, one for each system, because loading a system's libraries would
/// delay the start of every other one.

#include <memory>
#include <string>
#include <string_view>

#include "vm/comm.hpp"
#include "vm/system/message_system.hpp"

namespace nasvm {

class SystemTask {
 public:
  using Join = std::unique_ptr<MessageSystem> (*)(const Seat&);

  /// Joins the program. Blocks until all of its tasks have come. Throws UsageError when no launcher
  /// (vm/system/runner.hpp) has started this process.
  explicit SystemTask(Join join);
  ~SystemTask();
  SystemTask(const SystemTask&) = delete;
  SystemTask& operator=(const SystemTask&) = delete;

  [[nodiscard]] Comm& comm();
  /// What the console said to all tasks of the program.
  [[nodiscard]] const std::string& setup() const;
  /// Name of this task's host.
  [[nodiscard]] const std::string& host() const;
  /// As MessageSystem::open_shared.
  std::unique_ptr<SharedFile> open_shared(const std::string& path, SharedFile::Access access);
  /// Gives a result to the console; any length, once or several times.
  void report(std::string_view text);
  /// Leaves in good order, together with all others. Collective.
  void finish();
  /// Ends the whole program, as far as its system can do that.
  void abandon(int exit_status);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The main function of such a task: joins, runs `body`, leaves; errors go to the console. Returns the exit status.
int run_system_task(SystemTask::Join join, void (*body)(SystemTask&));

}  // namespace nasvm
