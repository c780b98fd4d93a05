#pragma once
/// \file
/// The contract of a message system's launcher: how the processes of a run are started, and what SystemRunner asks of
/// them while they run.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>

#include "vm/launch/machine.hpp"
#include "vm/net/poller.hpp"
#include "vm/parameters.hpp"
#include "vm/system/roster.hpp"

namespace nasvm {

/// The processes of one run over a message system.
class SystemProcesses {
 public:
  virtual ~SystemProcesses() = default;

  /// Have all ended, and has all they said been read? Does not block; notes in the roster what went wrong.
  virtual bool ended() = 0;
  /// Something is about to end: to be asked again soon.
  [[nodiscard]] virtual bool ending() const = 0;
  /// How long to wait for more to be told after a failure.
  [[nodiscard]] virtual std::chrono::milliseconds patience() const = 0;
  /// Leaves nothing behind. Blocks, some seconds at most.
  virtual void end() = 0;

  [[nodiscard]] virtual pid_t system_pid() const = 0;
  [[nodiscard]] virtual TaskRoster& roster() = 0;
  /// Where what they say is heard.
  [[nodiscard]] virtual net::Poller& poller() = 0;
};

/// Starts the processes of a program, which outlives them, with what the user set of the system's parameters.
using SystemStarter =
    std::function<std::unique_ptr<SystemProcesses>(const Machine::Program& program, const Parameters& parameters)>;

}  // namespace nasvm
