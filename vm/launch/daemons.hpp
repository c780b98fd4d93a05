#pragma once
/// \file
/// The console's daemons: starting them, talking to them, noticing their death, ending them.

#include <sys/types.h>

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/auth.hpp"
#include "vm/launch/accusations.hpp"
#include "vm/launch/heartbeat.hpp"
#include "vm/launch/hostfile.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/machine.hpp"
#include "vm/launch/verdict.hpp"
#include "vm/multicast/wire/group_address.hpp"
#include "vm/net/acceptor.hpp"
#include "vm/net/connection.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/child.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm {

/// Hears what daemons say of tasks.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  virtual void task_ready(const protocol::Ready& ready) = 0;
  virtual void task_exited(const protocol::Exited& exited) = 0;
  virtual void task_not_started(const protocol::NotStarted& refused) = 0;
  /// A task waits in a send for others to receive.
  virtual void task_blocked(const protocol::Blocked& blocked) = 0;
  virtual void task_waits(const protocol::Waits& waits) = 0;
  /// A task gives up, or a daemon cannot do what it was told.
  virtual void gave_up(const protocol::Failed& failed) = 0;
  /// A task asks the console for something (vm/launch/task_services.hpp).
  virtual void task_asks(const protocol::Message& request) = 0;
  /// A piece of a task's result.
  virtual void task_reported(Tid task, std::string_view piece) = 0;
  /// A host of the machine is lost: `text` says how. May be told more than once, each time as something more is
  /// known.
  virtual void host_lost(std::size_t daemon, Gravity gravity, const std::string& text) = 0;
  /// A line of a daemon, of a task on another computer or of a helper program, for the user.
  virtual void remark(const std::string& line) = 0;
};

/// Daemons are counted from 0, in the order of the hosts. What goes wrong with one of them until they are introduced
/// to each other is noted in the verdict; after that, the listener hears of its loss.
/// Calls block only where they say so.
class Daemons final : public net::ConnectionOwner, public net::PacketHandler {
 public:
  using Clock = std::chrono::steady_clock;

  Daemons(const std::vector<HostSpec>& hosts, net::Poller& poller, TaskListener& listener, Verdict& verdict);
  /// Call `end` before.
  ~Daemons() override = default;

  /// One more daemon, not started yet.
  void add(const HostSpec& host);
  /// Starts those from `first` on, which takes a while after this call. They bind to `interface` (a name or a
  /// network; empty: by the hosts' addresses). Throws UsageError when the launcher cannot reach a host, RunError.
  void start(Launcher& launcher, const std::string& interface, std::size_t first = 0);
  [[nodiscard]] bool all_greeted() const;
  /// Nothing of the build is on its way to a host any more.
  [[nodiscard]] bool have_been_copied() const;
  /// "b, c": those that have not.
  [[nodiscard]] std::string not_greeted() const { return names_of_missing(std::nullopt); }
  /// Tells all of them where the others are, and ends admission. When all have greeted.
  void introduce();

  /// Sends a message; nothing to a daemon that is gone or not connected.
  void tell(std::size_t daemon, const protocol::Message& message);
  void tell_all(const protocol::Message& message);

  /// Notes those that have died before they were up, asks the others for a sign of life, notes those that owe one. To
  /// be called again and again, between events.
  void watch();
  /// Has them kill all tasks. Blocks until that is done by all that answer, for `patience` at most. Throws
  /// Interrupted.
  void kill_tasks(std::chrono::milliseconds patience);
  /// Those of which tasks may be left after that.
  [[nodiscard]] std::vector<std::size_t> with_tasks_left() const;
  /// Asks one to end, and waits until it has, 2 s at most. Throws Interrupted.
  void dismiss(std::size_t daemon);
  /// Ends them. Blocks, 2 s at most.
  void end();

  [[nodiscard]] const std::string& name(std::size_t daemon) const { return daemons_[daemon].host.name; }
  /// The host is no part of the machine any more: ends the connection to its daemon, which ends then, and has the
  /// others forget it. Its number is not used again.
  void forget(std::size_t daemon);
  [[nodiscard]] bool is_forgotten(std::size_t daemon) const { return daemons_[daemon].forgotten; }
  /// Those that have not come up are waited for no more: nobody is let in.
  void end_admission() { acceptor_.reset(); }
  /// It is gone, and was a child of this process: its tasks, and what they have left, are children of this process
  /// then, which is a subreaper. Kills what is left of it, and blocks until that is reaped, for `patience`
  /// at most.
  bool has_left_orphans(std::size_t daemon, std::chrono::milliseconds patience);
  /// The processes that have started daemons, and daemons themselves, that are children of this process.
  [[nodiscard]] std::vector<pid_t> helpers() const;
  /// Of all hosts, once all have greeted.
  [[nodiscard]] const std::vector<HostFacts>& facts() const { return facts_; }

 private:
  /// A process that has brought up one daemon, or all, and what it says.
  struct Starter {
    Launcher::Started started;
    std::unique_ptr<process::LineReader> complaints;
    std::string last_complaint{};
  };

  struct DaemonState {
    HostSpec host;
    std::size_t starter = static_cast<std::size_t>(-1);  ///< index; none yet
    std::unique_ptr<net::Connection> connection;
    std::uint16_t udp_port = 0;
    bool greeted = false;       ///< has said hello
    bool gone = false;          ///< its process or connection has ended
    bool silent = false;        ///< alive perhaps, but not answering
    bool tasks_killed = false;  ///< no task of it is left
    bool introduced = false;    ///< knows the others
    bool forgotten = false;     ///< no part of the machine any more

    [[nodiscard]] bool is_connected() const { return connection != nullptr && connection->is_established(); }
  };

  // net::ConnectionOwner, net::PacketHandler
  bool admits(net::Connection& connection, Tid peer) override;
  void established(net::Connection& connection) override;
  void lost(net::Connection& connection, const std::string& reason) override;
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet&) override {}

  void hear(std::size_t daemon, const protocol::Message& message);
  void greet(std::size_t daemon, const protocol::Hello& hello);
  /// That one's word that another, or itself, is out of reach of the others.
  void take_accusation(std::size_t accuser, const protocol::Lost& lost);
  /// Notes those of whom it is clear by now that they are lost.
  void judge_hosts();
  void lose_host(std::size_t daemon, const std::string& text);
  /// What others say of it; "host c hears nothing of a, b by UDP: ..."; "host c answers neither the console nor host
  /// a".
  [[nodiscard]] std::string text_of(const Accusations::Ruling& ruling) const;
  /// Notes the exception that is being handled, met in what a daemon has said.
  void note_nonsense(std::size_t daemon);
  /// Of those that one process has started, or of all.
  [[nodiscard]] std::string names_of_missing(std::optional<std::size_t> starter) const;
  [[nodiscard]] Starter* starter_of(const DaemonState& daemon);
  /// Daemons that the process has brought up.
  [[nodiscard]] std::ptrdiff_t shares_of(const Starter& starter) const;
  /// Is one of these a part of the machine?
  [[nodiscard]] bool is_needed(const Starter& starter) const;
  /// Has the daemons of those indices started by one process; on this computer without the launcher's help.
  void start_some(Launcher& launcher, std::span<const std::size_t> indices, protocol::Bootstrap bootstrap);
  void hear_complaint(std::size_t starter, std::string line);
  /// Tells the listener, or the verdict while the machine is being started.
  void note_loss(DaemonState& daemon, Gravity gravity, const std::string& text);
  void note_gone(DaemonState& daemon, const std::string& reason);
  void note_early_deaths();
  /// Ends a connection for good, with what has arrived in part. Not in a call of its own.
  void drop_connection(DaemonState& daemon);
  void reap();
  void keep_in_touch();
  /// Kills daemons that are children of this process, asks other starters to end, with all that they have started.
  void stop(std::span<Starter* const> starters);
  void kill_unreachable();
  void wait_for_ends();

  net::Poller& poller_;
  TaskListener& listener_;
  Verdict& verdict_;
  Secret secret_ = make_secret();
  std::vector<DaemonState> daemons_;
  std::vector<Starter> starters_;
  std::vector<HostFacts> facts_;
  Heartbeat heartbeat_;
  Accusations accusations_;
  std::optional<net::Acceptor> acceptor_;
  /// Packets that are arriving, by whatever connection: a name in an envelope is no proof of whose one is.
  std::list<std::vector<std::byte>> arriving_;
  /// Networks of today carry a machine's multicast no further than their routers (as in the papers' LANs).
  static constexpr int group_ttl = 1;
  std::string group_ = multicast::draw_group_address(multicast::Authentication::tag, group_ttl).text();
};

}  // namespace nasvm
