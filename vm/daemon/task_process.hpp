#pragma once
/// \file
/// The tasks of one host: starting their processes, watching them, ending them.

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vm/daemon/stream_port.hpp"
#include "vm/message.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::daemon {

/// How a task's process ended: "exited with status 3", "was killed by signal 9 (Killed)".
std::string describe_wait_status(int wait_status);

struct TaskProcess final : net::Watcher {
  Tid tid;
  int rank = 0;
  pid_t pid = -1;
  net::Fd pidfd;
  std::unique_ptr<StreamPort> port;
  bool done = false;  ///< it has said that it leaves in good order
  bool reaped = false;
  int wait_status = 0;
  std::function<void(TaskProcess&)> changed;

  /// The process has ended.
  void ready(std::uint32_t) override;
  /// Nothing more will come from it.
  [[nodiscard]] bool over() const { return reaped && !port->is_open(); }
};

/// Starts `program` with `arguments`, those variables of `environment` that are not set already, and a socket to this
/// process, whose number it finds in the environment; returns the process and this end of the socket. The process is
/// killed when this one dies. Throws RunError.
struct Spawned {
  pid_t pid = -1;
  net::Fd pidfd;
  net::Fd socket;
};
Spawned spawn_task(const std::string& program, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment);

}  // namespace nasvm::daemon
