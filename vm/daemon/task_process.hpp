#pragma once
/// \file
/// A task of this host as a process: its start, its socket, its end.

#include <functional>
#include <optional>

#include "vm/daemon/local_tasks.hpp"
#include "vm/daemon/stream_port.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/child.hpp"

namespace nasvm::daemon {

class TaskProcess final : public LocalTask, public net::Watcher {
 public:
  /// Starts the process, with a socket to this one whose number it finds in the environment (protocol.hpp). It is
  /// killed when this process dies. Its port is shut, and known to the router as long as this lives. `on_garbage`: it
  /// has sent what is no packet, and is not heard any more. Throws RunError.
  TaskProcess(const protocol::Spawn& program, Tid tid, const PortContext& context, std::function<void()> on_garbage);
  /// Kills and reaps what is still there.
  ~TaskProcess() override;

  [[nodiscard]] pid_t pid() const override { return child_.pid(); }
  [[nodiscard]] std::optional<int> ended() const override { return wait_status_; }
  [[nodiscard]] bool is_heard_out() const override { return !port_->is_open(); }
  void send(const ControlText& message) override { port_->send_text(context_.self, tid_, message, context_.self); }
  void open() override { port_->own_room().open(); }
  void end_output() override { port_->end_output(); }
  void kill() override;

  /// The process has ended.
  void ready(std::uint32_t) override;

 private:
  Tid tid_;
  PortContext context_;
  std::unique_ptr<StreamPort> port_;
  process::Child child_;
  net::Fd end_;  ///< can be read once the process has ended
  std::optional<int> wait_status_;
};

}  // namespace nasvm::daemon
