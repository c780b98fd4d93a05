#include "vm/daemon/daemon.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "vm/daemon/host_facts.hpp"
#include "vm/net/address.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

constexpr std::chrono::seconds console_patience{10};
/// Of a task, in its daemon: its socket and its process.
constexpr rlim_t descriptors_per_task = 2;
/// Beside tasks: standard streams, poller, console, datagrams, and some for starting processes.
constexpr rlim_t other_descriptors = 16;
/// Starting many tasks takes time, in which the console wants to hear that all is well.
constexpr int tasks_between_signs_of_life = 64;
/// Silent links are looked at this often.
constexpr std::chrono::seconds check_interval{1};
/// There is always a task that may want the daemon's core.
constexpr Patience::Options waiting{std::chrono::microseconds(20), true};

/// As many descriptors as the user may have. The tasks inherit that.
void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void ensure_descriptors(std::size_t tasks) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = descriptors_per_task * tasks + other_descriptors;
  if (limit.rlim_cur >= needed) return;
  throw RunError("a daemon needs " + std::to_string(needed) + " file descriptors for " + std::to_string(tasks) +
                 " tasks on its host but the limit is " + std::to_string(limit.rlim_cur) +
                 ": raise it (ulimit -n) or run fewer tasks");
}

void wait_for(int fd, short events) {
  pollfd wanted{fd, events, 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(console_patience);
  if (::poll(&wanted, 1, static_cast<int>(patience.count())) <= 0) throw RunError("the console does not answer");
}

/// Proves the secret to the console, blocking: there is nothing else to do yet.
net::Fd connect_to_console(const protocol::Bootstrap& bootstrap, const Secret& secret) {
  net::Fd socket = net::start_connecting(net::parse_address(bootstrap.console));
  wait_for(socket.get(), POLLOUT);
  Handshake handshake(secret, Handshake::Role::initiator, Tid::daemon(bootstrap.host).value,
                      protocol::control_connection, Tid::console().value);
  for (;;) {
    const auto output = handshake.take_output();
    if (!output.empty() && ::send(socket.get(), output.data(), output.size(), MSG_NOSIGNAL) < 0) {
      throw RunError(std::string("cannot talk to the console: ") + std::strerror(errno));
    }
    if (handshake.state() == Handshake::State::done) return socket;
    // Exactly one message at a time: what follows the handshake is for the packet stream.
    std::array<std::byte, Handshake::message_bytes> input;
    wait_for(socket.get(), POLLIN);
    const ssize_t got = ::recv(socket.get(), input.data(), input.size(), 0);
    if (got <= 0) throw RunError("the console closed the connection");
    (void)handshake.feed({input.data(), static_cast<std::size_t>(got)});
    if (handshake.state() == Handshake::State::failed)
      throw RunError("the console does not know the machine's secret");
  }
}

}  // namespace

Daemon::Daemon(const protocol::Bootstrap& bootstrap)
    : bootstrap_(bootstrap), self_(Tid::daemon(bootstrap.host)), patience_(waiting), router_(bootstrap.host) {
  raise_descriptor_limit();
  const Secret secret = secret_from_hex(bootstrap.secret);
  hosts_ = std::make_unique<HostPorts>(bootstrap.host, bootstrap.address, secret, poller_);
  console_ = std::make_unique<StreamPort>(connect_to_console(bootstrap, secret), poller_, ready_, router_, *this,
                                          self_, [this](const std::string&) { halted_ = true; });
  router_.set_console(*console_);
  protocol::Hello hello = host_facts();
  hello.host = bootstrap.host;
  hello.pid = ::getpid();
  hello.version = NASVM_VERSION;
  hello.udp_port = hosts_->address().port;
  tell_console(hello);
}

Daemon::~Daemon() {
  kill_tasks();
  for (auto& [tid, task] : tasks_) {
    if (!task->reaped) (void)::waitpid(task->pid, nullptr, 0);
  }
  router_.clear();
}

std::chrono::nanoseconds Daemon::time_to_wait() const {
  if (!ready_.empty()) return std::chrono::nanoseconds(0);
  const auto deadline = hosts_->deadline();
  const auto now = std::chrono::steady_clock::now();
  if (deadline <= now) return std::chrono::nanoseconds(0);
  return std::min<std::chrono::nanoseconds>(deadline - now, check_interval);
}

/// While packets come one soon after the other, being woken for each costs more than looking for the next; the core
/// is offered to the tasks after each look.
void Daemon::wait_for_work() {
  const auto none = std::chrono::nanoseconds(0);
  if (poller_.wait(none) > 0 || time_to_wait() == none) return;
  for (Patience::Advice advice = patience_.begin(); advice != Patience::Advice::sleep;
       advice = patience_.advise(false, ticks_now())) {
    ::sched_yield();
    if (poller_.wait(none) > 0) return;
  }
  (void)poller_.wait(time_to_wait());
}

void Daemon::run() {
  while (!halted_) {
    wait_for_work();
    ready_.serve();
    hosts_->pump();
    sweep();
    check_hosts();
  }
}

void Daemon::check_hosts() {
  const HostPort* dead = hosts_->dead();
  if (dead == nullptr || host_lost_) return;
  host_lost_ = true;
  tell_console(
      protocol::Lost{.host = dead->host(),
                     .text = "host " + dead->name() + " does not answer host " + bootstrap_.name + " any more"});
}

// --- control ----------------------------------------------------------------------------------------------------

void Daemon::control(const Envelope& envelope, std::span<const std::byte> text) {
  if (envelope.kind != PacketKind::control) return;
  const Tid source{envelope.source};
  try {
    hear(source, protocol::parse(text));
  } catch (const std::exception&) {
    report_failure(source);
  }
}

void Daemon::hear(Tid source, const protocol::Message& message) {
  if (source == Tid::console()) return from_console(message);
  if (source.is_daemon()) return from_daemon(source.host(), message);
  const auto task = tasks_.find(source);
  if (task != tasks_.end()) from_task(*task->second, message);
}

void Daemon::report_failure(Tid source) {
  const auto [exit_status, text] = current_complaint();
  const auto task = tasks_.find(source);
  protocol::Failed failed{.tid = self_, .pid = 0, .exit = exit_status, .text = text};
  if (task != tasks_.end()) {
    failed.tid = source;
    failed.pid = task->second->pid;
  }
  tell_console(failed);
}

void Daemon::from_console(const protocol::Message& message) {
  const protocol::Handlers handlers{
      [this](const protocol::Hosts& hosts) { meet_hosts(hosts); },
      [this](const protocol::Spawn& program) { spawn(program); },
      [this](const protocol::Start& start) { start_program(start); },
      [this](const protocol::Kill&) { end_tasks(); },
      [this](const protocol::Ping&) { tell_console(protocol::Pong{}); },
      [this](const protocol::Halt&) { halted_ = true; },
  };
  protocol::dispatch(message, handlers);
}

void Daemon::from_daemon(int host, const protocol::Message& message) {
  protocol::dispatch(message, protocol::Handlers{[&](const protocol::Group& group) { open_group(group, host); }});
}

void Daemon::from_task(TaskProcess& task, const protocol::Message& message) {
  const auto forward = [&](auto told) {
    told.tid = task.tid;
    told.pid = task.pid;
    tell_console(told);
  };
  const protocol::Handlers handlers{
      [&](const protocol::Ready& ready) { forward(ready); },
      [&](const protocol::Failed& failed) { forward(failed); },
      [&](const protocol::Group& group) { open_group(group, 0); },
      [&](const protocol::Done&) { task.done = true; },
  };
  protocol::dispatch(message, handlers);
}

void Daemon::meet_hosts(const protocol::Hosts& message) {
  for (const auto& [host, name, address, udp_port] : message.hosts) {
    if (host == bootstrap_.host) continue;
    const auto peer = link::Address::parse(address, udp_port);
    router_.add_host(host, hosts_->add(host, name, peer, ready_, router_, *this));
  }
}

void Daemon::open_group(const protocol::Group& message, int from_host) {
  for (auto& [host, members] : router_.open_group(message.group, message.tids, from_host)) {
    const Tid daemon = Tid::daemon(host);
    for (const Router::Exit& exit : router_.exits(daemon)) {
      exit.port->send_control(self_, daemon, protocol::Group{.group = message.group, .tids = members});
    }
  }
}

// --- tasks ------------------------------------------------------------------------------------------------------

void Daemon::spawn(const protocol::Spawn& message) {
  ensure_descriptors(tasks_.size() + message.tasks.size());
  int started = 0;
  for (const protocol::TaskEntry& entry : message.tasks) {
    start_task(message, entry);
    if (++started % tasks_between_signs_of_life == 0) tell_console(protocol::Pong{});
  }
}

void Daemon::start_task(const protocol::Spawn& message, const protocol::TaskEntry& entry) {
  Spawned spawned = spawn_task(message.program, message.arguments, message.environment);
  auto task = std::make_unique<TaskProcess>();
  TaskProcess& started = *task;
  started.tid = entry.tid;
  started.rank = entry.rank;
  started.pid = spawned.pid;
  started.pidfd = std::move(spawned.pidfd);
  started.changed = [this](TaskProcess& changed) { task_changed(changed); };
  started.port = std::make_unique<StreamPort>(std::move(spawned.socket), poller_, ready_, router_, *this, self_,
                                              [this, &started](const std::string&) { task_changed(started); });
  poller_.add(started.pidfd.get(), EPOLLIN, started);
  // Tasks of other hosts may start, and send to it, before it has heard who they are.
  started.port->shut();
  router_.add_task(started.tid, *started.port);
  started.port->send_control(self_, started.tid,
                             protocol::Welcome{.tid = started.tid,
                                               .rank = started.rank,
                                               .size = message.size,
                                               .address = bootstrap_.address,
                                               .secret = bootstrap_.secret,
                                               .setup = message.setup,
                                               .load = message.load});
  tasks_[started.tid] = std::move(task);
}

void Daemon::start_program(const protocol::Start& message) {
  killing_ = false;
  for (auto& [tid, task] : tasks_) {
    task->port->send_control(self_, tid, message);
    task->port->open();
  }
}

void Daemon::task_changed(TaskProcess& task) {
  if (task.reaped) poller_.remove(task.pidfd.get(), task);
}

/// Reports and forgets the tasks that have ended. Between events, so that nothing of theirs is still in use.
void Daemon::sweep() {
  for (auto entry = tasks_.begin(); entry != tasks_.end();) {
    TaskProcess& task = *entry->second;
    // Who was killed has nothing more to say; of the others everything they sent is read first.
    const bool killed = task.reaped && WIFSIGNALED(task.wait_status);
    if (!task.over() && !killed) {
      ++entry;
      continue;
    }
    const bool clean = task.done && task.wait_status == 0;
    if (!killing_) {
      tell_console(protocol::Exited{.tid = task.tid,
                                    .pid = task.pid,
                                    .clean = clean,
                                    .signal = killed,
                                    .text = describe_wait_status(task.wait_status)});
    }
    router_.remove_task(task.tid);
    entry = tasks_.erase(entry);
  }
  if (tasks_.empty()) router_.clear_groups();
  say_killed_when_alone();
}

void Daemon::end_tasks() {
  killing_ = true;
  kill_tasks();
  say_killed_when_alone();
}

void Daemon::kill_tasks() {
  for (auto& [tid, task] : tasks_) {
    if (!task->reaped) ::kill(task->pid, SIGKILL);
  }
}

void Daemon::say_killed_when_alone() {
  if (!killing_ || !tasks_.empty()) return;
  killing_ = false;
  tell_console(protocol::Killed{});
}

}  // namespace nasvm::daemon
