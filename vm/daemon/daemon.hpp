#pragma once
/// \file
/// nasvmd: one host's daemon. Starts and watches the tasks of its host, carries packets between them, to other hosts
/// and to the console, and ends with the console. One thread, one event loop.
///
/// The console starts it with one line on its standard input, protocol::Bootstrap, which names the console's address;
/// nothing is on the command line or in the environment. Control messages that cannot be read or are not expected are
/// refused: the console hears of them as a failure, and the daemon goes on.

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/daemon/host_port.hpp"
#include "vm/daemon/local_tasks.hpp"
#include "vm/daemon/place.hpp"
#include "vm/daemon/router.hpp"
#include "vm/daemon/stream_port.hpp"
#include "vm/metrics/pause_watch.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/subreaper.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm::daemon {

class Daemon final : public ControlHandler {
 public:
  /// Connects to the console. Throws RunError when that fails.
  Daemon(const protocol::Bootstrap& bootstrap, Place place);
  ~Daemon() override;

  /// Serves until the console says halt or is gone; then ends all tasks.
  void run();

  /// What its user should know besides, a line; usually nothing.
  [[nodiscard]] std::string remark() const;

  void control(const Envelope& envelope, std::span<const std::byte> text) override;

 private:
  /// Of what tasks leave behind; ends the last of it.
  struct Reaper : process::Subreaper {
    ~Reaper();
  };

  void hear(Tid source, const protocol::Message& message);
  void from_console(const protocol::Message& message);
  void from_daemon(int host, const protocol::Message& message);
  void from_task(Tid task, const protocol::Message& message);
  /// Tells the console that this run cannot go on: in the name of the task, or of this daemon when `source` is none.
  void report_failure(Tid source, const Complaint& complaint);
  [[nodiscard]] PortContext port_context() { return {poller_, ready_, router_, *this, self_}; }
  /// Those that it has not met before. The console is told of each that it has no way to.
  void meet_hosts(const protocol::Hosts& message);
  void forget_host(int host);
  /// Takes part in IP multicast, unless it does or has tried.
  void join_group();
  void spawn(const protocol::Spawn& message);
  std::unique_ptr<LocalTask> start_task(const protocol::Spawn& message, const protocol::TaskEntry& entry);
  void open_group(const protocol::Group& message, int from_host);
  void sweep();
  void tell_console(const protocol::Message& message) { console_->send_control(self_, Tid::console(), message); }
  [[nodiscard]] std::chrono::nanoseconds time_to_wait() const;
  void check_hosts();
  /// Serves what comes; sleeps when nothing has come for a while.
  void wait_for_work();

  Reaper reaper_;  ///< first, so that it outlives all tasks
  Place place_;
  std::string secret_;  ///< as in the bootstrap line
  Tid self_;
  PauseWatch pauses_;
  net::Poller poller_;
  Patience patience_;
  WaiterQueue ready_;
  Router router_;
  std::unique_ptr<HostPorts> hosts_;
  std::unique_ptr<StreamPort> console_;
  LocalTasks tasks_;
  std::string group_;  ///< of the machine, for multicast; empty: not known yet
  bool group_tried_ = false;
  std::string unicast_because_;  ///< why it could not be joined
  bool halted_ = false;
  std::set<int> told_lost_;  ///< of these hosts the console has been told
};

}  // namespace nasvm::daemon
