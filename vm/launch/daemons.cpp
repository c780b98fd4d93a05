#include "vm/launch/daemons.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto end_patience = 2s;  ///< until tasks, then daemons, are gone
/// A process ends a moment after its connection: number of looks for that, and the pause between them.
constexpr int looks_for_end = 50;
constexpr unsigned look_pause_us = 1000;

Tid tid_of(std::size_t daemon) { return Tid::daemon(static_cast<int>(daemon) + 1); }

/// Index of the daemon of a packet's host; out of range when there is no such host.
std::size_t index_of(Tid source) { return static_cast<std::size_t>(source.host()) - 1; }

}  // namespace

Daemons::Daemons(const std::vector<HostSpec>& hosts, net::Poller& poller, TaskListener& listener, Verdict& verdict)
    : poller_(poller), listener_(listener), verdict_(verdict), facts_(hosts.size()), heartbeat_(hosts.size()) {
  for (const HostSpec& host : hosts) daemons_.emplace_back().host = host;
}

// --- starting ------------------------------------------------------------------------------------------------------

void Daemons::start(Launcher& launcher) {
  for (const DaemonState& daemon : daemons_) launcher.check(daemon.host);
  acceptor_.emplace(daemons_[0].host.address, daemons_.size(),
                    net::Connection::Options{secret_, Tid::console(), protocol::control_connection}, poller_, *this,
                    *this);
  acceptor_->start();
  int host = 0;
  for (DaemonState& daemon : daemons_) {
    const protocol::Bootstrap bootstrap{.console = acceptor_->address(),
                                        .secret = to_hex(secret_),
                                        .host = ++host,
                                        .name = daemon.host.name,
                                        .address = daemon.host.address};
    daemon.child = launcher.start(daemon.host, protocol::to_text(bootstrap) + "\n");
  }
}

bool Daemons::all_greeted() const { return std::ranges::all_of(daemons_, &DaemonState::greeted); }

void Daemons::introduce() {
  acceptor_.reset();
  protocol::Hosts message;
  int host = 0;
  for (const DaemonState& daemon : daemons_) {
    message.hosts.push_back({++host, daemon.host.name, daemon.host.address, daemon.udp_port});
  }
  tell_all(message);
}

bool Daemons::admits(net::Connection&, Tid peer) {
  const std::size_t index = index_of(peer);
  return peer.is_daemon() && index < daemons_.size() && daemons_[index].connection == nullptr;
}

void Daemons::established(net::Connection& connection) {
  const std::size_t index = index_of(connection.peer());
  daemons_[index].connection = acceptor_->take(connection);
  heartbeat_.hear(index, Clock::now());
}

void Daemons::lost(net::Connection& connection, const std::string& reason) {
  if (acceptor_.has_value() && acceptor_->drop(connection)) return;
  for (DaemonState& daemon : daemons_) {
    if (daemon.connection.get() == &connection) note_gone(daemon, reason);
  }
}

// --- talking -------------------------------------------------------------------------------------------------------

void Daemons::tell(std::size_t daemon, const protocol::Message& message) {
  DaemonState& told = daemons_[daemon];
  if (told.gone || !told.is_connected()) return;
  protocol::send(*told.connection, Tid::console(), tid_of(daemon), message);
}

void Daemons::tell_all(const protocol::Message& message) {
  for (std::size_t daemon = 0; daemon < daemons_.size(); ++daemon) tell(daemon, message);
}

net::Landing Daemons::begin_packet(const Envelope& envelope) {
  if (envelope.payload_bytes > protocol::max_control_bytes) return {};
  auto* text = new std::vector<std::byte>(envelope.payload_bytes);
  return {net::Landing::Verdict::take, text->data(), text};
}

void Daemons::end_packet(const Envelope& envelope, const net::Landing& landing) {
  const Tid source{envelope.source};
  if (landing.token == nullptr) {
    return verdict_.note(Gravity::failed, to_string(source) + " has sent a packet longer than any of the protocol",
                         Clock::now());
  }
  const std::unique_ptr<std::vector<std::byte>> text(static_cast<std::vector<std::byte>*>(landing.token));
  if (envelope.kind == PacketKind::report) {
    return listener_.task_reported(source, {reinterpret_cast<const char*>(text->data()), text->size()});
  }
  const std::size_t daemon = index_of(source);
  if (envelope.kind != PacketKind::control || daemon >= daemons_.size()) return;
  try {
    hear(daemon, protocol::parse(*text));
  } catch (const std::exception&) {
    note_nonsense(daemon);
  }
}

void Daemons::hear(std::size_t daemon, const protocol::Message& message) {
  heartbeat_.hear(daemon, Clock::now());
  const protocol::Handlers handlers{
      [&](const protocol::Hello& hello) { greet(daemon, hello); },
      [&](const protocol::Pong&) {},
      [&](const protocol::Killed&) { daemons_[daemon].tasks_killed = true; },
      [&](const protocol::Lost& lost) { lose_host(lost); },
      [&](const protocol::Ready& ready) { listener_.task_ready(ready); },
      [&](const protocol::Exited& exited) { listener_.task_exited(exited); },
      [&](const protocol::Blocked& blocked) { listener_.task_blocked(blocked); },
      [&](const protocol::Failed& failed) { listener_.gave_up(failed); },
  };
  protocol::dispatch(message, handlers);
}

void Daemons::greet(std::size_t daemon, const protocol::Hello& hello) {
  DaemonState& state = daemons_[daemon];
  state.greeted = true;
  state.udp_port = hello.udp_port;
  facts_[daemon] = {.name = state.host.name,
                    .address = state.host.address,
                    .cpu = hello.cpu,
                    .cores = hello.cores,
                    .memory_bytes = hello.memory_bytes,
                    .kernel = hello.kernel,
                    .daemon_pid = hello.pid,
                    .daemon_version = hello.version,
                    .computer = hello.computer,
                    .caches = {},
                    .modes = {hello.huge_pages, hello.governor, hello.hypervisor},
                    .copy_rates = hello.copy_rates};
  for (const protocol::CacheEntry& cache : hello.caches) {
    facts_[daemon].caches.push_back({cache.level, cache.bytes, cache.shared_by});
  }
}

void Daemons::lose_host(const protocol::Lost& lost) {
  const std::size_t index = index_of(Tid::daemon(lost.host));
  if (index < daemons_.size()) daemons_[index].silent = true;
  verdict_.note(Gravity::silent, lost.text, Clock::now());
}

// --- failing -------------------------------------------------------------------------------------------------------

void Daemons::note_nonsense(std::size_t daemon) {
  const auto [exit_status, text] = current_complaint();
  verdict_.note(Gravity::failed, "daemon of host " + name(daemon) + ": " + text, Clock::now(), exit_status);
}

void Daemons::note_gone(DaemonState& daemon, const std::string& reason) {
  if (daemon.gone) return;
  daemon.gone = true;
  std::string text = reason;
  for (int looks = 0; looks < looks_for_end && daemon.child.is_there(); ++looks) {
    if (const auto wait_status = daemon.child.ended()) {
      text = process::describe_wait_status(*wait_status);
    } else {
      ::usleep(look_pause_us);
    }
  }
  verdict_.note(Gravity::killed, "the daemon of host " + daemon.host.name + " is gone: it " + text, Clock::now());
}

void Daemons::note_early_deaths() {
  for (DaemonState& daemon : daemons_) {
    if (daemon.greeted || !daemon.child.is_there()) continue;
    const auto wait_status = daemon.child.ended();
    if (!wait_status.has_value()) continue;
    daemon.gone = true;
    verdict_.note(Gravity::killed,
                  "the daemon of host " + daemon.host.name + " " + process::describe_wait_status(*wait_status) +
                      " before it was up",
                  Clock::now());
  }
}

void Daemons::keep_in_touch() {
  const auto now = Clock::now();
  if (!heartbeat_.beat(now)) return;
  tell_all(protocol::Ping{});
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    DaemonState& daemon = daemons_[i];
    if (!daemon.greeted || daemon.gone || !heartbeat_.is_quiet(i, now)) continue;
    // A daemon that a signal has stopped cannot answer: no need to wait for the limit.
    const bool stopped = daemon.child.is_stopped();
    if (!stopped && !heartbeat_.is_silent(i, now)) continue;
    daemon.silent = true;
    verdict_.note(Gravity::silent,
                  "the daemon of host " + daemon.host.name + (stopped ? " is stopped" : " has not answered for 8 s"),
                  now);
  }
}

void Daemons::watch() {
  note_early_deaths();
  keep_in_touch();
  if (acceptor_.has_value()) acceptor_->bury();
}

// --- ending --------------------------------------------------------------------------------------------------------

void Daemons::kill_tasks() {
  tell_all(protocol::Kill{});
  const auto deadline = Clock::now() + end_patience;
  const auto done = [](const DaemonState& daemon) { return daemon.gone || daemon.silent || daemon.tasks_killed; };
  while (!std::ranges::all_of(daemons_, done) && Clock::now() < deadline) (void)poller_.wait(10ms);
}

/// Kills daemons that cannot be asked to end. Their tasks end with them.
void Daemons::kill_unreachable() {
  for (DaemonState& daemon : daemons_) {
    if (!daemon.child.is_there() || (daemon.is_connected() && !daemon.silent)) continue;
    daemon.child.signal(SIGKILL);
    daemon.gone = true;
  }
}

void Daemons::wait_for_ends() {
  const auto deadline = Clock::now() + end_patience;
  const auto is_there = [](DaemonState& daemon) { return daemon.child.is_there() && !daemon.child.ended(); };
  while (std::ranges::any_of(daemons_, is_there) && Clock::now() < deadline) {
    try {
      (void)poller_.wait(2ms);
    } catch (const Interrupted&) {
      // The machine is ending already.
    }
  }
}

void Daemons::end() {
  kill_unreachable();
  try {
    tell_all(protocol::Halt{});
    wait_for_ends();
  } catch (const std::exception&) {
    // Daemons that are left are killed below.
  }
  for (DaemonState& daemon : daemons_) {
    if (!daemon.child.is_there()) continue;
    daemon.child.kill();
    daemon.gone = true;
  }
}

}  // namespace nasvm
