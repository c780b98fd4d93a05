#pragma once
/// \file
/// nasvmd: one host's daemon. Starts and watches the tasks of its host, carries packets between them, to other hosts
/// and to the console, and ends with the console. One thread, one event loop.
///
/// The console starts it with one line of JSON on its standard input:
///     {"console": "127.0.0.1:4000", "secret": "<64 hexadecimal digits>", "host": 1, "name": "node1",
///      "address": "127.0.0.1"}
/// and is found under that address; nothing is on the command line or in the environment.

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/daemon/host_port.hpp"
#include "vm/daemon/protocol.hpp"
#include "vm/daemon/router.hpp"
#include "vm/daemon/stream_port.hpp"
#include "vm/daemon/task_process.hpp"
#include "vm/net/poller.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm::daemon {

struct Bootstrap {
  std::string console;
  Secret secret{};
  int host = 1;
  std::string name;
  std::string address;
};

/// Throws UsageError when the line is not what it should be.
Bootstrap parse_bootstrap(const std::string& line);

class Daemon final : public ControlHandler {
 public:
  /// Connects to the console. Throws RunError when that fails.
  explicit Daemon(const Bootstrap& bootstrap);
  ~Daemon() override;

  /// Serves until the console says halt or is gone; then ends all tasks.
  void run();

  void control(const Envelope& envelope, std::span<const std::byte> text) override;

 private:
  using Json = protocol::Json;

  void from_console(const Json& message);
  void from_task(TaskProcess& task, const Json& message);
  void meet_hosts(const Json& message);
  void spawn(const Json& message);
  void start_task(const Json& spawn_message, const Json& task_message);
  void open_group(const Json& message, int from_host);
  void task_changed(TaskProcess& task);
  void kill_tasks();
  void say_killed_when_alone();
  void sweep();
  void tell_console(const Json& message) { console_->send_control(Tid::console(), message); }
  [[nodiscard]] std::chrono::nanoseconds time_to_wait() const;
  void check_hosts();
  /// Serves what comes; sleeps when nothing has come for a while.
  void wait_for_work();

  Bootstrap bootstrap_;
  Tid self_;
  net::Poller poller_;
  Patience patience_;
  WaiterQueue ready_;
  Router router_;
  std::unique_ptr<HostPorts> hosts_;
  std::unique_ptr<StreamPort> console_;
  std::map<Tid, std::unique_ptr<TaskProcess>> tasks_;
  bool halted_ = false;
  bool killing_ = false;
  bool host_lost_ = false;
};

}  // namespace nasvm::daemon
