#pragma once
/// \file
/// The console's connections to its daemons: starting them, hearing from them, ending them. What Machine is made of.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/machine.hpp"
#include "vm/net/connection.hpp"
#include "vm/net/poller.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm {

/// Turns SIGINT, SIGTERM and SIGHUP into something to wait for while it exists.
class SignalWatch final : public net::Watcher {
 public:
  explicit SignalWatch(net::Poller& poller);
  ~SignalWatch() override;
  /// Throws Interrupted.
  void ready(std::uint32_t) override;

 private:
  net::Poller& poller_;
  net::Fd fd_;
  sigset_t before_;
};

class Machine::Console final : public net::Watcher, public net::ConnectionOwner, public net::PacketHandler {
 public:
  explicit Console(const Options& options);
  ~Console() override;

  std::vector<std::string> run(const Program& program);

  std::vector<HostFacts> facts;
  std::function<void()> on_start;
  [[nodiscard]] std::vector<long> task_pids() const;

  // Watcher: somebody connects.
  void ready(std::uint32_t) override;
  // ConnectionOwner
  bool admits(net::Connection& connection, Tid peer) override;
  void established(net::Connection& connection) override;
  void lost(net::Connection& connection, const std::string& reason) override;
  // PacketHandler
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet&) override {}

 private:
  using Clock = std::chrono::steady_clock;

  struct DaemonState {
    HostSpec host;
    LaunchedProcess process;
    std::unique_ptr<net::Connection> connection;
    bool greeted = false;  ///< has said hello
    bool gone = false;
    bool silent = false;  ///< alive perhaps, but not answering
    bool killed_tasks = false;
    std::string computer;  ///< equal for hosts that are one computer
    int next_local = 1;    ///< for the tid of the next task
    std::uint16_t udp_port = 0;
    Clock::time_point heard{};
  };
  struct TaskState {
    Tid tid;
    std::size_t daemon = 0;
    long pid = 0;
    bool is_ready = false;
    bool is_over = false;
    DescriptorTable descriptors;
    std::string report;
  };
  /// Why a run cannot go on. Of several that come together the gravest is told.
  struct Failure {
    int gravity;
    Exit exit_status;
    std::string text;
  };

  void start_daemons(Launcher& launcher);
  void introduce_daemons();
  void spawn(const Program& program);
  [[nodiscard]] protocol::Load load_on(const DaemonState& daemon, int threads_per_task) const;
  void start_program();
  void wait_for_tasks(const Program& program, Clock::time_point deadline);
  void hear(DaemonState& daemon, const protocol::Message& message);
  void greet(DaemonState& daemon, const protocol::Hello& hello);
  void note_failed(const protocol::Failed& failed);
  void note_exited(const protocol::Exited& exited);
  void note(Failure failure);
  void note_daemon_gone(DaemonState& daemon, const std::string& reason);
  void wait_until(const std::function<bool()>& done, Clock::time_point deadline, const std::string& overdue);
  void keep_in_touch();
  [[noreturn]] void give_up();
  void end_tasks();
  void shut_down();
  void reap_orphans();
  void tell(DaemonState& daemon, const protocol::Message& message);
  void tell_all(const protocol::Message& message);
  [[nodiscard]] std::string describe(const TaskState& task) const;
  [[nodiscard]] TaskState* find_task(Tid tid);

  net::Poller poller_;
  SignalWatch signals_{poller_};
  Secret secret_;
  net::Fd listener_;
  std::vector<DaemonState> daemons_;
  std::vector<std::unique_ptr<net::Connection>> strangers_;  ///< connected, and not yet known as a daemon
  std::vector<std::unique_ptr<net::Connection>> graveyard_;
  std::vector<TaskState> tasks_;  ///< of the running program, by rank
  std::optional<Failure> failure_;
  Clock::time_point failed_at_{};
  Clock::time_point last_ping_{};
  int subreaper_before_ = 0;
  bool broken_ = false;
};

}  // namespace nasvm
