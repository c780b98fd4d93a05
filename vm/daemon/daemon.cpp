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
net::Fd connect_to_console(const Bootstrap& bootstrap) {
  net::Fd socket = net::start_connecting(net::parse_address(bootstrap.console));
  wait_for(socket.get(), POLLOUT);
  Handshake handshake(bootstrap.secret, Handshake::Role::initiator, Tid::daemon(bootstrap.host).value,
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

Bootstrap parse_bootstrap(const std::string& line) {
  try {
    const auto json = protocol::Json::parse(line);
    return {json.at("console").get<std::string>(), secret_from_hex(json.at("secret").get<std::string>()),
            json.at("host").get<int>(), json.at("name").get<std::string>(), json.at("address").get<std::string>()};
  } catch (const protocol::Json::exception&) {
    throw UsageError("nasvmd is started by nasvm run, which tells it on standard input where the console is");
  }
}

Daemon::Daemon(const Bootstrap& bootstrap)
    : bootstrap_(bootstrap), self_(Tid::daemon(bootstrap.host)), patience_(waiting), router_(bootstrap.host) {
  raise_descriptor_limit();
  hosts_ = std::make_unique<HostPorts>(bootstrap.host, bootstrap.address, bootstrap.secret, poller_);
  console_ = std::make_unique<StreamPort>(connect_to_console(bootstrap), poller_, ready_, router_, *this, self_,
                                          [this](const std::string&) { halted_ = true; });
  router_.set_console(*console_);
  Json hello = host_facts();
  hello["type"] = "hello";
  hello["host"] = bootstrap.host;
  hello["pid"] = ::getpid();
  hello["version"] = NASVM_VERSION;
  hello["udp_port"] = hosts_->address().port;
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
  tell_console({{"type", "lost"},
                {"host", dead->host()},
                {"text", "host " + dead->name() + " does not answer host " + bootstrap_.name + " any more"}});
}

// --- control ----------------------------------------------------------------------------------------------------

void Daemon::control(const Envelope& envelope, std::span<const std::byte> text) {
  if (envelope.kind != PacketKind::control) return;
  const Json message = protocol::parse(text);
  const Tid source{envelope.source};
  if (source == Tid::console()) return from_console(message);
  if (source.is_daemon()) {
    if (message["type"] == "group") open_group(message, source.host());
    return;
  }
  const auto task = tasks_.find(source);
  if (task != tasks_.end()) from_task(*task->second, message);
}

void Daemon::from_console(const Json& message) {
  const std::string type = message["type"];
  if (type == "hosts") {
    meet_hosts(message);
  } else if (type == "spawn") {
    spawn(message);
  } else if (type == "start") {
    killing_ = false;
    for (auto& [tid, task] : tasks_) {
      task->port->send_control(tid, message);
      task->port->open();
    }
  } else if (type == "kill") {
    killing_ = true;
    kill_tasks();
    say_killed_when_alone();
  } else if (type == "ping") {
    tell_console({{"type", "pong"}});
  } else if (type == "halt") {
    halted_ = true;
  }
}

void Daemon::from_task(TaskProcess& task, const Json& message) {
  const std::string type = message["type"];
  if (type == "done") {
    task.done = true;
  } else if (type == "group") {
    open_group(message, 0);
  } else if (type == "ready" || type == "failed") {
    Json forwarded = message;
    forwarded["tid"] = task.tid.value;
    forwarded["pid"] = task.pid;
    tell_console(forwarded);
  }
}

void Daemon::meet_hosts(const Json& message) {
  for (const Json& entry : message.at("hosts")) {
    const int host = entry.at("host").get<int>();
    if (host == bootstrap_.host) continue;
    const auto address =
        link::Address::parse(entry.at("address").get<std::string>(), entry.at("udp_port").get<std::uint16_t>());
    router_.add_host(host, hosts_->add(host, entry.at("name").get<std::string>(), address, ready_, router_, *this));
  }
}

void Daemon::open_group(const Json& message, int from_host) {
  const Tid group{message.at("group").get<std::uint32_t>()};
  std::vector<Tid> members;
  for (const Json& tid : message.at("tids")) members.push_back(Tid{tid.get<std::uint32_t>()});
  for (const auto& [host, remote] : router_.open_group(group, members, from_host)) {
    Json told{{"type", "group"}, {"group", group.value}, {"tids", Json::array()}};
    for (const Tid tid : remote) told["tids"].push_back(tid.value);
    const auto exits = router_.exits(Tid::daemon(host));
    if (!exits.empty()) static_cast<HostPort*>(exits[0].port)->send_control(Tid::daemon(host), told.dump());
  }
}

// --- tasks ------------------------------------------------------------------------------------------------------

void Daemon::spawn(const Json& message) {
  try {
    ensure_descriptors(tasks_.size() + message.at("tasks").size());
    int started = 0;
    for (const Json& task : message.at("tasks")) {
      start_task(message, task);
      if (++started % tasks_between_signs_of_life == 0) tell_console({{"type", "pong"}});
    }
  } catch (const RunError& error) {
    tell_console({{"type", "failed"}, {"tid", self_.value}, {"exit", 3}, {"text", error.what()}});
  }
}

void Daemon::start_task(const Json& spawn_message, const Json& task_message) {
  Spawned spawned = spawn_task(spawn_message.at("program").get<std::string>(),
                               spawn_message.at("arguments").get<std::vector<std::string>>(),
                               spawn_message.at("environment").get<std::vector<std::string>>());
  auto task = std::make_unique<TaskProcess>();
  TaskProcess& started = *task;
  started.tid = Tid{task_message.at("tid").get<std::uint32_t>()};
  started.rank = task_message.at("rank").get<int>();
  started.pid = spawned.pid;
  started.pidfd = std::move(spawned.pidfd);
  started.changed = [this](TaskProcess& changed) { task_changed(changed); };
  started.port = std::make_unique<StreamPort>(std::move(spawned.socket), poller_, ready_, router_, *this, self_,
                                              [this, &started](const std::string&) { task_changed(started); });
  poller_.add(started.pidfd.get(), EPOLLIN, started);
  // Tasks of other hosts may start, and send to it, before it has heard who they are.
  started.port->shut();
  router_.add_task(started.tid, *started.port);
  started.port->send_control(started.tid, {{"type", "welcome"},
                                           {"tid", started.tid.value},
                                           {"rank", started.rank},
                                           {"size", spawn_message.at("size")},
                                           {"address", bootstrap_.address},
                                           {"secret", to_hex(bootstrap_.secret)},
                                           {"setup", spawn_message.at("setup")},
                                           {"load", spawn_message.at("load")}});
  tasks_[started.tid] = std::move(task);
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
      tell_console({{"type", "exited"},
                    {"tid", task.tid.value},
                    {"pid", task.pid},
                    {"clean", clean},
                    {"signal", killed},
                    {"text", describe_wait_status(task.wait_status)}});
    }
    router_.remove_task(task.tid);
    entry = tasks_.erase(entry);
  }
  if (tasks_.empty()) router_.clear_groups();
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
  tell_console({{"type", "killed"}});
}

}  // namespace nasvm::daemon
