#include "vm/launch/console.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "vm/daemon/task_process.hpp"
#include "vm/net/address.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto daemon_patience = 15s;  ///< until all daemons have said hello
constexpr auto task_patience = 120s;   ///< until all tasks have joined
constexpr auto end_patience = 2s;      ///< until tasks, then daemons, are gone
constexpr auto ping_interval = 1s;
constexpr auto silence_limit = 8s;          ///< after which a daemon counts as dead
constexpr std::size_t most_strangers = 64;  ///< connections that have not proven anything, beyond the daemons'
constexpr auto cause_patience = 150ms;      ///< a death may have consequences that are heard of before it

/// What is told when several things are noticed at once.
enum Gravity : int { exited_gravity = 1, failed_gravity = 2, host_gravity = 3, killed_gravity = 4 };

std::array<int, 3> ending_signals() { return {SIGINT, SIGTERM, SIGHUP}; }

/// Has a signal stopped this child? Then it will not answer, however long one waits.
bool is_stopped(pid_t child) {
  siginfo_t state{};
  return child > 0 && ::waitid(P_PID, static_cast<id_t>(child), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == child;
}

}  // namespace

Interrupted::Interrupted(int signal_number)
    : Error(Exit::broken, std::string("interrupted by SIG") + ::sigabbrev_np(signal_number)),
      signal_number_(signal_number) {}

SignalWatch::SignalWatch(net::Poller& poller) : poller_(poller) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : ending_signals()) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  fd_ = net::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  poller_.add(fd_.get(), EPOLLIN, *this);
}

SignalWatch::~SignalWatch() {
  poller_.remove(fd_.get(), *this);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::ready(std::uint32_t) {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) throw Interrupted(static_cast<int>(info.ssi_signo));
}

// --- starting ---------------------------------------------------------------------------------------------------

Machine::Console::Console(const Options& options) : secret_(make_secret()) {
  for (const HostSpec& host : options.hosts) daemons_.emplace_back().host = host;
  const auto launcher = make_launcher(options.launcher);
  for (const HostSpec& host : options.hosts) launcher->check(host);
  listener_ = net::listen_on(daemons_[0].host.address, SOMAXCONN);
  poller_.add(listener_.get(), EPOLLIN, *this);
  // Tasks whose daemon dies become our children then, so that none of them stays as a zombie.
  ::prctl(PR_GET_CHILD_SUBREAPER, &subreaper_before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  try {
    start_daemons(*launcher);
    introduce_daemons();
  } catch (...) {
    shut_down();
    throw;
  }
}

Machine::Console::~Console() { shut_down(); }

void Machine::Console::start_daemons(Launcher& launcher) {
  const std::string address = net::to_string(net::local_address(listener_.get()));
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    DaemonState& daemon = daemons_[i];
    const protocol::Bootstrap bootstrap{.console = address,
                                        .secret = to_hex(secret_),
                                        .host = static_cast<int>(i) + 1,
                                        .name = daemon.host.name,
                                        .address = daemon.host.address};
    daemon.process = launcher.start(daemon.host, protocol::to_text(bootstrap) + "\n");
  }
  wait_until([&] { return std::ranges::all_of(daemons_, &DaemonState::greeted); }, Clock::now() + daemon_patience,
             "not every daemon has come up within 15 s");
  // Nobody else is expected.
  poller_.remove(listener_.get(), *this);
  listener_.reset();
  strangers_.clear();
}

void Machine::Console::introduce_daemons() {
  protocol::Hosts message;
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    const DaemonState& daemon = daemons_[i];
    message.hosts.push_back({.host = static_cast<int>(i) + 1,
                             .name = daemon.host.name,
                             .address = daemon.host.address,
                             .udp_port = daemon.udp_port});
  }
  tell_all(message);
}

void Machine::Console::ready(std::uint32_t) {
  for (;;) {
    net::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    // Who says nothing must not keep a daemon out: the oldest goes.
    if (strangers_.size() > most_strangers) strangers_.erase(strangers_.begin());
    if (!socket) break;
    net::set_no_delay(socket.get());
    strangers_.push_back(std::make_unique<net::Connection>(
        std::move(socket), net::Connection::Origin::accepted,
        net::Connection::Options{secret_, Tid::console(), protocol::control_connection}, poller_, *this, *this));
  }
}

bool Machine::Console::admits(net::Connection&, Tid peer) {
  const auto index = static_cast<std::size_t>(peer.host()) - 1;
  return peer.is_daemon() && index < daemons_.size() && daemons_[index].connection == nullptr;
}

void Machine::Console::established(net::Connection& connection) {
  const auto found =
      std::ranges::find_if(strangers_, [&](const auto& stranger) { return stranger.get() == &connection; });
  DaemonState& daemon = daemons_[static_cast<std::size_t>(connection.peer().host()) - 1];
  daemon.connection = std::move(*found);
  daemon.heard = Clock::now();
  strangers_.erase(found);
}

void Machine::Console::lost(net::Connection& connection, const std::string& reason) {
  const auto stranger =
      std::ranges::find_if(strangers_, [&](const auto& entry) { return entry.get() == &connection; });
  if (stranger != strangers_.end()) {
    graveyard_.push_back(std::move(*stranger));
    strangers_.erase(stranger);
    return;
  }
  for (DaemonState& daemon : daemons_) {
    if (daemon.connection.get() == &connection) note_daemon_gone(daemon, reason);
  }
}

// --- hearing ----------------------------------------------------------------------------------------------------

net::Landing Machine::Console::begin_packet(const Envelope& envelope) {
  if (envelope.payload_bytes > protocol::max_control_bytes) return {};
  auto* text = new std::vector<std::byte>(envelope.payload_bytes);
  return {net::Landing::Verdict::take, text->data(), text};
}

void Machine::Console::end_packet(const Envelope& envelope, const net::Landing& landing) {
  if (landing.token == nullptr) return;
  const std::unique_ptr<std::vector<std::byte>> text(static_cast<std::vector<std::byte>*>(landing.token));
  const Tid source{envelope.source};
  if (envelope.kind == PacketKind::report) {
    if (TaskState* task = find_task(source)) {
      task->report.append(reinterpret_cast<const char*>(text->data()), text->size());
    }
    return;
  }
  const auto index = static_cast<std::size_t>(source.host()) - 1;
  if (envelope.kind != PacketKind::control || index >= daemons_.size()) return;
  DaemonState& daemon = daemons_[index];
  try {
    hear(daemon, protocol::parse(*text));
  } catch (const std::exception&) {
    note({failed_gravity, Exit::broken, "daemon of host " + daemon.host.name + ": " + current_complaint().text});
  }
}

void Machine::Console::hear(DaemonState& daemon, const protocol::Message& message) {
  daemon.heard = Clock::now();
  const protocol::Handlers handlers{
      [&](const protocol::Hello& hello) { greet(daemon, hello); },
      [&](const protocol::Pong&) {},
      [&](const protocol::Killed&) { daemon.killed_tasks = true; },
      [&](const protocol::Lost& lost) {
        daemons_.at(static_cast<std::size_t>(lost.host) - 1).silent = true;
        note({host_gravity, Exit::broken, lost.text});
      },
      [&](const protocol::Ready& ready) {
        TaskState* task = find_task(ready.tid);
        if (task == nullptr) return;
        task->pid = ready.pid;
        task->is_ready = true;
        task->descriptors = ready.descriptors;
      },
      [&](const protocol::Failed& failed) { note_failed(failed); },
      [&](const protocol::Exited& exited) { note_exited(exited); },
  };
  protocol::dispatch(message, handlers);
}

void Machine::Console::greet(DaemonState& daemon, const protocol::Hello& hello) {
  daemon.greeted = true;
  daemon.computer = hello.computer;
  daemon.udp_port = hello.udp_port;
  facts.resize(daemons_.size());
  facts[static_cast<std::size_t>(&daemon - daemons_.data())] = {
      daemon.host.name, daemon.host.address, hello.cpu,     hello.cores,   hello.memory_bytes,
      hello.kernel,     hello.pid,           hello.version, hello.computer};
}

std::string Machine::Console::describe(const TaskState& task) const {
  return "rank " + std::to_string(&task - tasks_.data()) + " (task " + to_string(task.tid) + ", pid " +
         std::to_string(task.pid) + ", host " + daemons_[task.daemon].host.name + ")";
}

void Machine::Console::note_failed(const protocol::Failed& failed) {
  TaskState* task = find_task(failed.tid);
  if (task != nullptr) task->pid = failed.pid;
  const std::string who =
      task == nullptr ? "daemon of host " + daemons_.at(static_cast<std::size_t>(failed.tid.host()) - 1).host.name
                      : describe(*task);
  note({failed_gravity, failed.exit, who + ": " + failed.text});
}

void Machine::Console::note_exited(const protocol::Exited& exited) {
  TaskState* task = find_task(exited.tid);
  if (task == nullptr) return;
  task->pid = exited.pid;
  task->is_over = true;
  if (exited.clean) return;
  note({exited.signal ? killed_gravity : exited_gravity, Exit::broken, describe(*task) + " " + exited.text});
}

Machine::Console::TaskState* Machine::Console::find_task(Tid tid) {
  const auto found = std::ranges::find(tasks_, tid, &TaskState::tid);
  return found == tasks_.end() ? nullptr : &*found;
}

std::vector<long> Machine::Console::task_pids() const {
  std::vector<long> pids;
  for (const TaskState& task : tasks_) {
    if (!task.is_over) pids.push_back(task.pid);
  }
  return pids;
}

// --- failing ----------------------------------------------------------------------------------------------------

void Machine::Console::note(Failure failure) {
  if (broken_) return;
  if (!failure_.has_value()) failed_at_ = Clock::now();
  if (!failure_.has_value() || failure.gravity > failure_->gravity) failure_ = std::move(failure);
}

void Machine::Console::note_daemon_gone(DaemonState& daemon, const std::string& reason) {
  if (daemon.gone) return;
  daemon.gone = true;
  std::string text = reason;
  int wait_status = 0;
  // Its end is a moment behind the end of its connection.
  for (int tries = 0; tries < 50 && daemon.process.pid > 0; ++tries) {
    if (::waitpid(daemon.process.pid, &wait_status, WNOHANG) == daemon.process.pid) {
      daemon.process.pid = -1;
      text = daemon::describe_wait_status(wait_status);
      break;
    }
    ::usleep(1000);
  }
  note({killed_gravity, Exit::broken, "the daemon of host " + daemon.host.name + " is gone: it " + text});
}

void Machine::Console::keep_in_touch() {
  const auto now = Clock::now();
  if (now - last_ping_ < ping_interval) return;
  // After a pause of its own (between runs, or stopped by the user) the console has nothing to reproach anyone with.
  const bool paused = now - last_ping_ > 3 * ping_interval;
  last_ping_ = now;
  for (DaemonState& daemon : daemons_) {
    if (paused) daemon.heard = now;
  }
  tell_all(protocol::Ping{});
  for (DaemonState& daemon : daemons_) {
    if (!daemon.greeted || daemon.gone || now - daemon.heard < ping_interval / 2) continue;
    const bool stopped = is_stopped(daemon.process.pid);
    if (!stopped && now - daemon.heard <= silence_limit) continue;
    daemon.silent = true;
    note({host_gravity, Exit::broken,
          "the daemon of host " + daemon.host.name + (stopped ? " is stopped" : " has not answered for 8 s")});
  }
}

void Machine::Console::wait_until(const std::function<bool()>& done, Clock::time_point deadline,
                                  const std::string& overdue) {
  for (;;) {
    const auto now = Clock::now();
    if (failure_.has_value() && now - failed_at_ >= cause_patience) give_up();
    if (!failure_.has_value() && done()) return;
    if (now >= deadline) note({killed_gravity + 1, Exit::broken, overdue});
    for (DaemonState& daemon : daemons_) {
      int wait_status = 0;
      if (daemon.greeted || daemon.process.pid < 0 ||
          ::waitpid(daemon.process.pid, &wait_status, WNOHANG) != daemon.process.pid) {
        continue;
      }
      daemon.process.pid = -1;
      daemon.gone = true;
      note({killed_gravity, Exit::broken,
            "the daemon of host " + daemon.host.name + " " + daemon::describe_wait_status(wait_status) +
                " before it was up"});
    }
    const std::chrono::nanoseconds patience = failure_.has_value() ? 10ms : 100ms;
    (void)poller_.wait(
        std::min<std::chrono::nanoseconds>(patience, std::max(0ns, std::chrono::nanoseconds(deadline - now))));
    keep_in_touch();
    graveyard_.clear();
  }
}

void Machine::Console::give_up() {
  const Failure failure = *failure_;
  failure_.reset();
  end_tasks();
  throw Error(failure.exit_status, failure.text);
}

void Machine::Console::end_tasks() {
  broken_ = true;
  tell_all(protocol::Kill{});
  const auto deadline = Clock::now() + end_patience;
  const auto all_killed = [&] {
    return std::ranges::all_of(
        daemons_, [](const DaemonState& daemon) { return daemon.gone || daemon.silent || daemon.killed_tasks; });
  };
  while (!all_killed() && Clock::now() < deadline) (void)poller_.wait(10ms);
}

// --- running ----------------------------------------------------------------------------------------------------

std::vector<std::string> Machine::Console::run(const Program& program) {
  if (broken_) throw RunError("the virtual machine has failed before and cannot run anything more");
  const auto deadline =
      program.timeout.count() > 0 ? Clock::now() + program.timeout : Clock::time_point::max() - std::chrono::hours(1);
  try {
    spawn(program);
    wait_for_tasks(program, deadline);
  } catch (const Interrupted&) {
    end_tasks();
    throw;
  }
  std::vector<std::string> reports;
  for (TaskState& task : tasks_) reports.push_back(std::move(task.report));
  tasks_.clear();
  return reports;
}

void Machine::Console::wait_for_tasks(const Program& program, Clock::time_point deadline) {
  const std::string timed_out = overdue_text(program.timeout);
  const auto join_deadline = Clock::now() + task_patience;
  wait_until([&] { return std::ranges::all_of(tasks_, &TaskState::is_ready); }, std::min(deadline, join_deadline),
             deadline < join_deadline ? timed_out : "not every task has joined within 120 s");
  start_program();
  if (on_start) on_start();
  wait_until([&] { return std::ranges::all_of(tasks_, &TaskState::is_over); }, deadline, timed_out);
}

void Machine::Console::spawn(const Program& program) {
  std::vector<HostSpec> hosts;
  for (const DaemonState& daemon : daemons_) hosts.push_back(daemon.host);
  const std::vector<int> host_of_rank = place_ranks(hosts, program.size);
  std::map<int, std::vector<protocol::TaskEntry>> tasks_of_host;
  tasks_.clear();
  for (int rank = 0; rank < program.size; ++rank) {
    const int host = host_of_rank[static_cast<std::size_t>(rank)];
    DaemonState& daemon = daemons_[static_cast<std::size_t>(host)];
    if (daemon.next_local > max_tasks_per_host) daemon.next_local = 1;
    TaskState& task = tasks_.emplace_back();
    task.tid = Tid::task(host + 1, daemon.next_local++);
    task.daemon = static_cast<std::size_t>(host);
    tasks_of_host[host].push_back({.tid = task.tid, .rank = rank});
  }
  protocol::Setup setup{.program = program.setup, .transport = program.transport, .pairs = {}, .bind = program.bind};
  for (const auto& [first, second, transport] : program.pair_orders)
    setup.pairs.push_back({first, second, transport});
  for (const auto& [host, tasks] : tasks_of_host) {
    DaemonState& daemon = daemons_[static_cast<std::size_t>(host)];
    tell(daemon, protocol::Spawn{.program = program.path,
                                 .arguments = program.arguments,
                                 .environment = program.environment,
                                 .size = program.size,
                                 .setup = setup,
                                 .load = load_on(daemon, program.threads),
                                 .tasks = tasks});
  }
}

protocol::Load Machine::Console::load_on(const DaemonState& daemon, int threads_per_task) const {
  const auto same = [&](const DaemonState& other) { return other.computer == daemon.computer; };
  const auto tasks =
      std::ranges::count_if(tasks_, [&](const TaskState& task) { return same(daemons_[task.daemon]); });
  return {.tasks = static_cast<int>(tasks),
          .threads = static_cast<int>(tasks) * threads_per_task,
          .daemons = static_cast<int>(std::ranges::count_if(daemons_, same))};
}

void Machine::Console::start_program() {
  protocol::Start message;
  for (const TaskState& task : tasks_) {
    message.members.push_back({task.tid, daemons_[task.daemon].host.name, task.descriptors});
  }
  tell_all(message);
}

void Machine::Console::tell(DaemonState& daemon, const protocol::Message& message) {
  if (daemon.connection == nullptr || daemon.gone || !daemon.connection->is_established()) return;
  protocol::send(*daemon.connection, Tid::console(), Tid::daemon(static_cast<int>(&daemon - daemons_.data()) + 1),
                 message);
}

void Machine::Console::tell_all(const protocol::Message& message) {
  for (DaemonState& daemon : daemons_) tell(daemon, message);
}

// --- ending -----------------------------------------------------------------------------------------------------

void Machine::Console::shut_down() {
  broken_ = true;
  // Who does not listen cannot be asked to end. Its tasks die with it.
  for (DaemonState& daemon : daemons_) {
    const bool listens = daemon.connection != nullptr && daemon.connection->is_established() && !daemon.silent;
    if (daemon.process.pid > 0 && !listens) {
      ::kill(daemon.process.pid, SIGKILL);
      daemon.gone = true;
    }
  }
  try {
    tell_all(protocol::Halt{});
    const auto deadline = Clock::now() + end_patience;
    const auto still_there = [&](DaemonState& daemon) {
      if (daemon.process.pid > 0 && ::waitpid(daemon.process.pid, nullptr, WNOHANG) == daemon.process.pid) {
        daemon.process.pid = -1;
      }
      return daemon.process.pid > 0;
    };
    while (std::ranges::any_of(daemons_, still_there) && Clock::now() < deadline) {
      try {
        (void)poller_.wait(2ms);
      } catch (const Interrupted&) {
        // It is ending already.
      }
    }
  } catch (const std::exception&) {
    // What could not be ended in good order is ended below.
  }
  for (DaemonState& daemon : daemons_) {
    if (daemon.process.pid <= 0) continue;
    ::kill(daemon.process.pid, SIGKILL);
    (void)::waitpid(daemon.process.pid, nullptr, 0);
    daemon.process.pid = -1;
    daemon.gone = true;
  }
  reap_orphans();
  ::prctl(PR_SET_CHILD_SUBREAPER, subreaper_before_);
}

/// Tasks of a daemon that was killed have been killed with it and are our children now.
void Machine::Console::reap_orphans() {
  const auto deadline = Clock::now() + end_patience;
  for (const TaskState& task : tasks_) {
    if (task.is_over || task.pid <= 0 || !daemons_[task.daemon].gone) continue;
    const auto pid = static_cast<pid_t>(task.pid);
    while (Clock::now() < deadline) {
      const pid_t result = ::waitpid(pid, nullptr, WNOHANG);
      if (result == pid) break;
      if (result == 0) ::kill(pid, SIGKILL);         // a child of ours, so nobody else has its number
      if (result < 0 && ::kill(pid, 0) != 0) break;  // reaped by somebody else
      ::usleep(1000);
    }
  }
}

// --- Machine ----------------------------------------------------------------------------------------------------

Machine::Machine(const Options& options) : console_(std::make_unique<Console>(options)) {}
Machine::~Machine() = default;

std::vector<std::string> Machine::run(const Program& program) { return console_->run(program); }
const std::vector<HostFacts>& Machine::hosts() const { return console_->facts; }
std::vector<long> Machine::task_pids() const { return console_->task_pids(); }
void Machine::on_start(std::function<void()> callback) { console_->on_start = std::move(callback); }

std::string overdue_text(std::chrono::milliseconds timeout) {
  return fmt::format("the run has not finished within its time-out of {} s (--timeout)",
                     std::chrono::duration<double>(timeout).count());
}

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw RunError("cannot find this program's own file under /proc");
  return {path.data(), static_cast<std::size_t>(length)};
}

}  // namespace nasvm
