#pragma once
/// \file
/// Machine: the virtual machine as its console sees it. Starts the daemons, runs parallel programs on them, ends
/// them.
///
/// Everything it starts is gone when it is destroyed, also when something has failed, and also (by the kernel's help)
/// when this process is killed. While it exists, SIGINT, SIGTERM and SIGHUP end a run in good order: it throws
/// Interrupted. One Machine at a time for each process; several processes do not disturb each other.

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vm/binding.hpp"
#include "vm/launch/hostfile.hpp"
#include "vm/machine_modes.hpp"
#include "vm/machine_topology.hpp"
#include "vm/message.hpp"
#include "vm/status.hpp"

namespace nasvm {

namespace net {
class Poller;
}  // namespace net

struct LauncherRow;
std::span<const LauncherRow> launchers();

/// The user (or the system) asked this process to end.
class Interrupted : public Error {
 public:
  /// `where`: how the text goes on, ": rank 0 waits ...", when tasks have been asked.
  explicit Interrupted(int signal_number, const std::string& where = {});
  [[nodiscard]] int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
};

/// A program of which somebody has said that it is not wanted any more (Machine::cancel).
class Cancelled : public Error {
 public:
  explicit Cancelled(const std::string& text) : Error(Exit::broken, text) {}
};

/// What a daemon told of its host.
struct HostFacts {
  std::string name;  ///< as the host names itself; HostSpec has the user's
  std::string address;
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  long daemon_pid = 0;
  std::string daemon_version;
  std::string computer;  ///< equal for hosts that are one computer
  std::vector<Cache> caches{};
  MachineModes modes{};
  std::string copy_rates{};  ///< what its tasks find (vm/probe/copy_rates.hpp); empty: not measured
};

class Machine {
 public:
  struct Options {
    std::vector<HostSpec> hosts = loopback_host();
    std::string launcher = "local";
    std::span<const LauncherRow> launchers = nasvm::launchers();  ///< to choose from (vm/launch/launcher.hpp)
    std::string rsh{};         ///< remote shell: command and options; empty: the launcher's choice
    bool copy = false;         ///< bring the programs to the hosts first
    std::string interface {};  ///< that all talk over: a name, or a network ("10.1.0.0/16"); empty: by the addresses
    bool goes_on = false;      ///< after failed runs, and without the hosts that it loses: a kept machine
    /// Gets what daemons and their helpers say once they are up, line by line; none: this process's standard error.
    std::function<void(const std::string&)> on_remark{};
  };

  /// Blocks until all daemons are up. Throws UsageError or RunError, with nothing left behind.
  explicit Machine(const Options& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  struct Program {
    std::string path{};                      ///< of the executable; a name without a slash: beside each host's daemon
    std::vector<std::string> arguments{};    ///< of every task
    std::vector<std::string> environment{};  ///< "NAME=value", for tasks whose host does not set NAME itself
    int size = 1;                            ///< number of tasks
    int hosts = 0;                           ///< the first so many share them equally (spread_over); 0: all, by slots
    std::vector<HostSpec> on{};              ///< hosts of the machine, by name, with slots of its own; none: all
    int threads = 1;                         ///< that compute in each task
    Binding bind = Binding::core;
    std::string transport = "auto";  ///< order of preference of Comm's messages
    /// Another order for the messages between two ranks, both ways.
    struct PairOrder {
      int first = 0;
      int second = 0;
      std::string transport{};
    };
    std::vector<PairOrder> pair_orders{};
    std::string multicast{};  ///< protocol of broadcasts between hosts, or auto; empty: messages of pairs
    std::string setup{};      ///< what Task::setup() returns
    std::chrono::milliseconds timeout{0};  ///< 0: none
    std::string timeout_option{};          ///< that sets it, "--timeout": said when the time is up; empty: none
  };

  /// Runs a program to its end and returns what each rank has reported. Blocks. Throws RunError naming what died
  /// first when a task, daemon or host dies or the time is up, after all tasks have been ended; the Machine cannot be
  /// used any more then, unless it goes on. Throws UsageError for a program that cannot be meant, and Cancelled.
  std::vector<std::string> run(const Program& program);

  [[nodiscard]] const std::vector<HostFacts>& hosts() const;
  /// Process ids of the tasks that are running (for tests, and for `started`).
  [[nodiscard]] std::vector<long> task_pids() const;
  /// Called when all tasks of a program have joined and start to run.
  void on_start(std::function<void()> callback);

  // --- a machine that goes on; only between programs, but for what says otherwise

  /// A host that is or has been a part of the machine. Its position never becomes another's.
  struct Host {
    HostSpec spec;
    HostFacts facts;
    std::string lost;      ///< why it takes no tasks any more; empty: it does
    bool removed = false;  ///< somebody has taken it out, or it has never come up

    [[nodiscard]] bool is_there() const { return lost.empty() && !removed; }
  };
  struct RunningTask {
    Tid tid;
    int rank = 0;          ///< among those of its world
    std::size_t host = 0;  ///< its position
    long pid = 0;          ///< 0: not known yet
  };
  /// At any time.
  [[nodiscard]] std::vector<Host> all_hosts() const;
  /// Of the program that is running; at any time.
  [[nodiscard]] std::vector<RunningTask> running_tasks() const;

  /// Starts daemons on more hosts. Blocks. Throws UsageError, RunError, Cancelled; the machine is as it was then.
  void add(const std::vector<HostSpec>& hosts);
  /// Ends the daemons of these hosts. Blocks. Throws UsageError where one is no part of it, or no other is left.
  void remove(const std::vector<std::string>& names);
  /// Serves what comes, for that time at most: hosts that are lost between programs are noticed. Throws Interrupted.
  void idle(std::chrono::nanoseconds most);
  /// What the machine waits with, also while it runs a program: others may have it watch something.
  [[nodiscard]] net::Poller& poller();
  /// Has the `run` or `add` that is under way end with Cancelled. For watchers of the poller.
  void cancel(const std::string& text);

 private:
  class Console;
  std::unique_ptr<Console> console_;
};

/// The line about a program that has not ended within its `timeout`, the same over every transport. `option`: as
/// Program::timeout_option.
std::string overdue_text(std::chrono::milliseconds timeout, const std::string& option);

}  // namespace nasvm
