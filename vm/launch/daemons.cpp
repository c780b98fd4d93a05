#include "vm/launch/daemons.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "vm/launch/complaint.hpp"
#include "vm/launch/host_facts.hpp"
#include "vm/launch/local_launcher.hpp"
#include "vm/net/address.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/process/descendants.hpp"
#include "vm/process/descriptors.hpp"
#include "vm/process/pipe.hpp"
#include "vm/version.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto end_patience = 2s;  ///< until tasks, then daemons, are gone
/// A process ends a moment after its connection: number of looks for that, and the pause between them.
constexpr int looks_for_end = 50;
constexpr unsigned look_pause_us = 1000;

Tid tid_of(std::size_t daemon) { return Tid::daemon(static_cast<int>(daemon) + 1); }

/// Scripts around a remote shell leave it behind when they end.
bool may_leave_others(const Launcher::Started& started) {
  return started.child.is_there() && !started.is_daemon && !started.ends_others;
}

/// What may leave others is not reaped: by its number these are found.
bool is_running(Launcher::Started& started) {
  return started.child.is_there() && !(may_leave_others(started) ? started.child.peek() : started.child.ended());
}

bool is_from_daemon(const std::string& complaint) { return complaint.starts_with("nasvmd: "); }

/// The console's address on the way to the other computers. Throws UsageError when there is none.
std::string address_towards_any(const std::vector<HostSpec>& hosts) {
  const HostSpec* unknown = nullptr;
  const HostSpec* unreachable = nullptr;
  for (const HostSpec& host : hosts) {
    if (host.address.empty()) {
      unknown = &host;
      continue;
    }
    if (is_this_computer(host)) continue;
    std::string address = net::address_towards(host.address);
    if (!address.empty()) return address;
    unreachable = &host;
  }
  if (unreachable != nullptr) {
    throw UsageError(unreachable->source + ": there is no way from here to " + unreachable->name + " (" +
                     unreachable->address + ")");
  }
  // One that ssh or Slurm alone knows may lie where everything else does.
  std::string address = net::address_towards("192.0.2.1");  // of the network for documentation, RFC 5737
  if (!address.empty()) return address;
  throw UsageError(
      unknown->source + ": \"" + unknown->name +
      "\" is not a name that can be resolved here; if the launcher knows it, say with --interface where");
}

/// Where the console can be reached by the daemons of all hosts. Throws UsageError when the user has to say it.
std::string console_address(const std::vector<HostSpec>& hosts, const std::string& interface) {
  if (interface.empty()) return all_here(hosts) ? hosts.front().address : address_towards_any(hosts);
  std::string address = net::address_of_interface(interface, net::interfaces());
  const auto is_far = [](const HostSpec& host) { return !host.address.empty() && !is_this_computer(host); };
  const auto far = std::ranges::find_if(hosts, is_far);
  if (far != hosts.end() && net::is_loopback(address)) {
    throw UsageError("--interface " + interface + ": host " + far->name + " cannot reach " + address +
                     ", which each computer has for itself");
  }
  return address;
}

/// Index of the daemon of a packet's host; out of range when there is no such host.
std::size_t index_of(Tid source) { return static_cast<std::size_t>(source.host()) - 1; }

}  // namespace

Daemons::Daemons(const std::vector<HostSpec>& hosts, net::Poller& poller, TaskListener& listener, Verdict& verdict)
    : poller_(poller), listener_(listener), verdict_(verdict), facts_(hosts.size()), heartbeat_(hosts.size()) {
  for (const HostSpec& host : hosts) daemons_.emplace_back().host = host;
}

void Daemons::add(const HostSpec& host) {
  daemons_.emplace_back().host = host;
  facts_.emplace_back();
  heartbeat_.add();
}

// --- starting ------------------------------------------------------------------------------------------------------

void Daemons::start(Launcher& launcher, const std::string& interface, std::size_t first) {
  std::vector<HostSpec> hosts;
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    if (i >= first) launcher.check(daemons_[i].host);
    if (!daemons_[i].forgotten) hosts.push_back(daemons_[i].host);
  }
  constexpr std::size_t of_host = 4;  // a connection, what its starter says, and while it starts two more
  constexpr std::size_t others = 64;
  (void)process::raise_descriptor_limit(of_host * hosts.size() + others);
  const std::string address = console_address(hosts, interface);
  acceptor_.emplace(address, daemons_.size(),
                    net::Connection::Options{secret_, Tid::console(), protocol::control_connection}, poller_, *this,
                    *this);
  acceptor_->start();
  const protocol::Bootstrap bootstrap{.version = std::string(build_version()),
                                      .console = acceptor_->address(),
                                      .secret = to_hex(secret_),
                                      .interface = interface,
                                      .rank_variable = std::string(launcher.rank_variable()),
                                      .hosts = {}};
  std::vector<std::size_t> together;
  for (std::size_t i = first; i < daemons_.size(); ++i) {
    if (launcher.starts_all_at_once() && !is_this_computer(daemons_[i].host)) {
      together.push_back(i);
    } else {
      start_some(launcher, std::span(&i, 1), bootstrap);
    }
  }
  if (!together.empty()) start_some(launcher, together, bootstrap);
}

void Daemons::start_some(Launcher& launcher, std::span<const std::size_t> indices, protocol::Bootstrap bootstrap) {
  const bool reached_from_afar = !net::parse_address(bootstrap.console).is_loopback();
  std::vector<HostSpec> hosts;
  for (const std::size_t i : indices) {
    const HostSpec& host = hosts.emplace_back(daemons_[i].host);
    // Many systems give their own name a loopback address, which others cannot reach.
    const bool useless = reached_from_afar && !host.address.empty() && net::is_loopback(host.address);
    bootstrap.hosts.push_back({static_cast<int>(i) + 1, host.name, useless ? "" : host.address});
  }
  process::Pipe pipe;
  const std::size_t index = starters_.size();
  Starter& starter = starters_.emplace_back();
  const std::string line = protocol::to_text(bootstrap) + "\n";
  const bool alone_here = launcher.starts_all_at_once() && is_this_computer(hosts.front());
  starter.started = alone_here ? start_daemon_here(line) : launcher.start(hosts, line, pipe.write.get());
  for (const std::size_t i : indices) daemons_[i].starter = index;  // at once: it is theirs, whatever goes wrong now
  starter.complaints = std::make_unique<process::LineReader>(
      std::move(pipe.read), poller_, [this, index](std::string text) { hear_complaint(index, std::move(text)); },
      longest_complaint);
}

/// Until the daemons are up, what is said belongs to the line that tells why one is not; afterwards it is for the
/// user.
void Daemons::hear_complaint(std::size_t starter, std::string line) {
  line = printable_line(std::move(line));
  if (line.empty()) return;
  if (all_greeted()) return listener_.remark(line);
  // What ssh or the daemon itself has said explains what others make of it.
  const auto is_cause = [](const std::string& text) { return text.starts_with("ssh: ") || is_from_daemon(text); };
  std::string& last = starters_[starter].last_complaint;
  if (!is_cause(last) || is_cause(line)) last = std::move(line);
}

Daemons::Starter* Daemons::starter_of(const DaemonState& daemon) {
  return daemon.starter < starters_.size() ? &starters_[daemon.starter] : nullptr;
}

std::ptrdiff_t Daemons::shares_of(const Starter& starter) const {
  const auto index = static_cast<std::size_t>(&starter - starters_.data());
  return std::ranges::count(daemons_, index, &DaemonState::starter);
}

bool Daemons::have_been_copied() const {
  return std::ranges::none_of(starters_, [](const Starter& starter) { return starter.started.feeder.is_there(); });
}

bool Daemons::all_greeted() const {
  return std::ranges::all_of(daemons_, [](const DaemonState& daemon) { return daemon.greeted || daemon.forgotten; });
}

std::string Daemons::names_of_missing(std::optional<std::size_t> starter) const {
  std::string names;
  for (const DaemonState& daemon : daemons_) {
    if (!daemon.greeted && !daemon.forgotten && daemon.starter == starter.value_or(daemon.starter))
      names += (names.empty() ? "" : ", ") + daemon.host.name;
  }
  return names;
}

void Daemons::introduce() {
  acceptor_.reset();
  protocol::Hosts message;
  int host = 0;
  for (DaemonState& daemon : daemons_) {
    ++host;
    daemon.introduced = true;
    if (daemon.forgotten) continue;
    message.hosts.push_back({host, daemon.host.name, daemon.host.address, daemon.udp_port});
  }
  message.group = group_;
  tell_all(message);
}

bool Daemons::admits(net::Connection&, Tid peer) {
  const std::size_t index = index_of(peer);
  return peer.is_daemon() && index < daemons_.size() && daemons_[index].connection == nullptr &&
         !daemons_[index].forgotten;
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
  const std::size_t daemon = index_of(Tid{envelope.source});
  if (envelope.payload_bytes > protocol::max_control_bytes || daemon >= daemons_.size()) return {};
  arriving_.emplace_back(envelope.payload_bytes);
  return {net::Landing::Verdict::take, arriving_.back().data(), &arriving_.back()};
}

void Daemons::end_packet(const Envelope& envelope, const net::Landing& landing) {
  const Tid source{envelope.source};
  if (envelope.payload_bytes > protocol::max_control_bytes) {
    return verdict_.note(Gravity::failed, to_string(source) + " has sent a packet longer than any of the protocol",
                         Clock::now());
  }
  if (landing.token == nullptr) return;
  const std::size_t daemon = index_of(source);
  const auto packet = std::ranges::find(arriving_, landing.token,
                                        [](const std::vector<std::byte>& one) -> const void* { return &one; });
  const std::vector<std::byte> text = std::move(*packet);
  arriving_.erase(packet);
  if (envelope.kind == PacketKind::report) {
    return listener_.task_reported(source, {reinterpret_cast<const char*>(text.data()), text.size()});
  }
  if (envelope.kind != PacketKind::control) return;
  try {
    hear(daemon, protocol::parse(text));
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
      [&](const protocol::Lost& lost) { take_accusation(daemon, lost); },
      [&](const protocol::Ready& ready) { listener_.task_ready(ready); },
      [&](const protocol::Exited& exited) { listener_.task_exited(exited); },
      [&](const protocol::NotStarted& refused) { listener_.task_not_started(refused); },
      [&](const protocol::Blocked& blocked) { listener_.task_blocked(blocked); },
      [&](const protocol::Waits& waits) { listener_.task_waits(waits); },
      [&](const protocol::Failed& failed) { listener_.gave_up(failed); },
      [&](const protocol::SpawnOrder&) { listener_.task_asks(message); },
      [&](const protocol::KillOrder&) { listener_.task_asks(message); },
      [&](const protocol::Watch&) { listener_.task_asks(message); },
      [&](const protocol::GroupCall&) { listener_.task_asks(message); },
  };
  protocol::dispatch(message, handlers);
}

void Daemons::greet(std::size_t daemon, const protocol::Hello& hello) {
  DaemonState& state = daemons_[daemon];
  if (hello.version != build_version()) {
    throw UsageError("it is nasvmd " + hello.version + ", but this is nasvm " + std::string(build_version()) +
                     ": all hosts need the same build (--copy brings this one)");
  }
  state.greeted = true;
  state.host.address = hello.address;
  state.udp_port = hello.udp_port;
  facts_[daemon] = facts_of(hello);
}

/// Who says it of itself has no way to the others.
void Daemons::take_accusation(std::size_t accuser, const protocol::Lost& lost) {
  const std::size_t accused = index_of(Tid::daemon(lost.host));
  if (accused >= daemons_.size() || daemons_[accused].forgotten || daemons_[accuser].forgotten) return;
  if (accused == accuser) return lose_host(accused, lost.text);
  accusations_.note({accuser, accused, lost.text, Clock::now()});
}

void Daemons::judge_hosts() {
  const auto now = Clock::now();
  const auto answers = [&](std::size_t daemon) { return !heartbeat_.is_overdue(daemon, now); };
  while (const auto ruling = accusations_.rule(now, answers)) lose_host(ruling->lost, text_of(*ruling));
}

void Daemons::lose_host(std::size_t daemon, const std::string& text) {
  DaemonState& state = daemons_[daemon];
  state.silent = state.silent || heartbeat_.is_overdue(daemon, Clock::now());
  note_loss(state, Gravity::silent, text);
}

std::string Daemons::text_of(const Accusations::Ruling& ruling) const {
  const auto& because = ruling.because;
  const auto of_it =
      std::ranges::find(because, ruling.lost, [](const Accusations::Accusation& one) { return one.accused; });
  if (of_it != because.end() && heartbeat_.is_overdue(ruling.lost, Clock::now())) {
    return "host " + name(ruling.lost) + " answers neither the console nor host " + name(of_it->accuser);
  }
  if (of_it != because.end()) return of_it->text;
  if (because.size() == 1) return because.front().text;
  std::string names;
  for (const auto& one : because) names += (names.empty() ? "" : ", ") + name(one.accused);
  return "host " + name(ruling.lost) + " hears nothing of " + names +
         " by UDP: is UDP open to it (docs/clusters.md, Which network)?";
}

// --- failing -------------------------------------------------------------------------------------------------------

void Daemons::note_nonsense(std::size_t daemon) {
  const auto [exit_status, text] = current_complaint();
  verdict_.note(Gravity::failed, "daemon of host " + name(daemon) + ": " + text, Clock::now(), exit_status);
}

void Daemons::note_loss(DaemonState& daemon, Gravity gravity, const std::string& text) {
  if (!daemon.introduced) return verdict_.note(gravity, text, Clock::now());
  listener_.host_lost(static_cast<std::size_t>(&daemon - daemons_.data()), gravity, text);
}

void Daemons::note_gone(DaemonState& daemon, const std::string& reason) {
  if (daemon.gone) return;
  daemon.gone = true;
  std::string text = reason;  // "the connection was closed"
  Starter* starter = starter_of(daemon);
  process::Child* child = starter != nullptr && starter->started.is_daemon ? &starter->started.child : nullptr;
  for (int looks = 0; looks < looks_for_end && child != nullptr && child->is_there(); ++looks) {
    if (const auto wait_status = child->ended()) {
      text = "it " + process::describe_wait_status(*wait_status);
    } else {
      ::usleep(look_pause_us);
    }
  }
  note_loss(daemon, Gravity::killed, "the daemon of host " + daemon.host.name + " is gone: " + text);
}

/// The end of a starter is the end of those of its daemons that are not up.
void Daemons::note_early_deaths() {
  for (DaemonState& daemon : daemons_) {
    Starter* starter = starter_of(daemon);
    if (daemon.greeted || daemon.gone || starter == nullptr || !starter->started.child.is_there()) continue;
    const auto wait_status = starter->started.child.peek();  // what it has started can be found until it is reaped
    if (!wait_status.has_value()) continue;
    if (!starter->complaints->at_end()) starter->complaints->ready(EPOLLIN);
    daemon.gone = true;
    const std::string end = process::describe_wait_status(*wait_status);
    const bool status_of_usage =
        WIFEXITED(*wait_status) && WEXITSTATUS(*wait_status) == static_cast<int>(Exit::usage);
    const bool usage = status_of_usage && (starter->started.is_daemon || is_from_daemon(starter->last_complaint));
    std::string text = "the daemon of host " + daemon.host.name + " " + end + " before it was up";
    if (!starter->started.is_daemon) {
      const std::string& source = daemon.host.source;
      const std::string names = names_of_missing(daemon.starter);
      text = names == daemon.host.name ? "host " : "one of hosts ";
      text += names;
      if (!source.empty()) text += " (" + source + ")";
      text += ": " + starter->started.program + " " + end + " before the daemon was up";
    }
    if (!starter->last_complaint.empty()) text += ": " + starter->last_complaint;
    verdict_.note(Gravity::killed, text, Clock::now(), usage ? Exit::usage : Exit::broken);
    for (DaemonState& other : daemons_)
      other.gone = other.gone || (other.starter == daemon.starter && !other.greeted);
  }
}

bool Daemons::is_needed(const Starter& starter) const {
  const auto index = static_cast<std::size_t>(&starter - starters_.data());
  return std::ranges::any_of(
      daemons_, [index](const DaemonState& daemon) { return daemon.starter == index && !daemon.forgotten; });
}

/// A starter of several daemons goes on as long as one of them is a part of the machine.
void Daemons::forget(std::size_t index) {
  DaemonState& daemon = daemons_[index];
  if (std::exchange(daemon.forgotten, true)) return;
  daemon.gone = true;
  if (daemon.connection != nullptr) daemon.connection->close();
  Starter* starter = starter_of(daemon);
  if (starter != nullptr && !is_needed(*starter)) {
    stop(std::span(&starter, 1));
    if (starter->started.feeder.is_there()) starter->started.feeder.kill();
  }
  accusations_.forget(index);
  tell_all(protocol::Forget{.host = tid_of(index).host()});
}

bool Daemons::has_left_orphans(std::size_t daemon, std::chrono::milliseconds patience) {
  Starter* starter = starter_of(daemons_[daemon]);
  if (!daemons_[daemon].gone || starter == nullptr || !starter->started.is_daemon) return false;
  process::Child& child = starter->started.child;
  child.signal(SIGKILL);
  // One that hangs in the kernel does not end.
  const auto deadline = Clock::now() + patience;
  while (child.is_there() && !child.ended() && Clock::now() < deadline) ::usleep(1000);
  return true;
}

std::vector<pid_t> Daemons::helpers() const {
  std::vector<pid_t> pids;
  for (const Starter& starter : starters_) {
    for (const process::Child* child : {&starter.started.child, &starter.started.feeder}) {
      if (child->is_there()) pids.push_back(child->pid());
    }
  }
  return pids;
}

void Daemons::keep_in_touch() {
  const auto now = Clock::now();
  if (!heartbeat_.beat(now)) return;
  tell_all(protocol::Ping{});
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    DaemonState& daemon = daemons_[i];
    if (!daemon.greeted || daemon.gone || !heartbeat_.is_quiet(i, now)) continue;
    // A daemon that a signal has stopped cannot answer: no need to wait for the limit.
    const Starter* starter = starter_of(daemon);
    const bool stopped = starter != nullptr && starter->started.is_daemon && starter->started.child.is_stopped();
    if (!stopped && !heartbeat_.is_silent(i, now)) continue;
    daemon.silent = true;
    note_loss(daemon, Gravity::silent,
              "the daemon of host " + daemon.host.name + (stopped ? " is stopped" : " has not answered for 8 s"));
  }
}

void Daemons::watch() {
  note_early_deaths();
  keep_in_touch();
  judge_hosts();
  reap();
  if (acceptor_.has_value()) acceptor_->bury();
}

void Daemons::drop_connection(DaemonState& daemon) {
  if (daemon.connection == nullptr) return;
  const void* const arriving = daemon.connection->arriving();
  arriving_.remove_if([arriving](const std::vector<std::byte>& packet) { return &packet == arriving; });
  daemon.connection.reset();
}

/// Starters of forgotten daemons, which have been told to end, and those who have handed a build over. A connection
/// keeps its descriptor as long as it is there.
void Daemons::reap() {
  for (DaemonState& daemon : daemons_) {
    if (daemon.forgotten) drop_connection(daemon);
    Starter* starter = daemon.forgotten ? starter_of(daemon) : nullptr;
    if (starter == nullptr || !starter->started.child.is_there() || !starter->started.child.peek()) continue;
    if (may_leave_others(starter->started)) {
      const pid_t ended = starter->started.child.pid();
      process::signal_with_descendants(std::span(&ended, 1), SIGKILL);
    }
    (void)starter->started.child.ended();
  }
  for (Starter& starter : starters_) {
    if (starter.started.feeder.is_there()) (void)starter.started.feeder.ended();
  }
}

// --- ending --------------------------------------------------------------------------------------------------------

void Daemons::kill_tasks(std::chrono::milliseconds patience) {
  for (DaemonState& daemon : daemons_) daemon.tasks_killed = false;
  tell_all(protocol::Kill{});
  const auto deadline = Clock::now() + patience;
  // One that does not know the others yet has no tasks.
  const auto done = [](const DaemonState& daemon) {
    return daemon.gone || daemon.silent || daemon.tasks_killed || !daemon.introduced;
  };
  while (!std::ranges::all_of(daemons_, done) && Clock::now() < deadline) {
    (void)poller_.wait(10ms);
    keep_in_touch();
  }
}

std::vector<std::size_t> Daemons::with_tasks_left() const {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < daemons_.size(); ++i) {
    if (daemons_[i].introduced && !daemons_[i].gone && !daemons_[i].tasks_killed) left.push_back(i);
  }
  return left;
}

void Daemons::dismiss(std::size_t index) {
  tell(index, protocol::Halt{});
  DaemonState& daemon = daemons_[index];
  Starter* starter = starter_of(daemon);
  const bool has_own_process = starter != nullptr && shares_of(*starter) == 1;
  const auto is_there = [&] { return !daemon.gone || (has_own_process && is_running(starter->started)); };
  for (const auto deadline = Clock::now() + end_patience; is_there() && Clock::now() < deadline;) {
    (void)poller_.wait(2ms);
  }
}

void Daemons::stop(std::span<Starter* const> starters) {
  std::vector<pid_t> with_others;
  for (const Starter* starter : starters) {
    const Launcher::Started& started = starter->started;
    if (may_leave_others(started)) {
      with_others.push_back(started.child.pid());
    } else {
      started.child.signal(started.is_daemon ? SIGKILL : SIGTERM);
    }
  }
  process::signal_with_descendants(with_others, SIGTERM);
}

/// Kills daemons that cannot be asked to end. Their tasks end with them. Those that are forgotten have been told
/// already, and others may need their starter to be asked.
void Daemons::kill_unreachable() {
  std::vector<Starter*> unreachable;
  for (DaemonState& daemon : daemons_) {
    Starter* starter = starter_of(daemon);
    if (daemon.forgotten || starter == nullptr || !starter->started.child.is_there() ||
        (daemon.is_connected() && !daemon.silent))
      continue;
    unreachable.push_back(starter);
    daemon.gone = true;
  }
  stop(unreachable);
}

void Daemons::wait_for_ends() {
  const auto deadline = Clock::now() + end_patience;
  const auto is_there = [](Starter& starter) { return is_running(starter.started); };
  while (std::ranges::any_of(starters_, is_there) && Clock::now() < deadline) {
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
  std::vector<pid_t> with_others;
  for (const Starter& starter : starters_) {
    if (may_leave_others(starter.started)) with_others.push_back(starter.started.child.pid());
  }
  process::signal_with_descendants(with_others, SIGKILL);
  for (DaemonState& daemon : daemons_) {
    Starter* starter = starter_of(daemon);
    if (starter == nullptr || !starter->started.child.is_there()) continue;
    starter->started.child.kill();
    daemon.gone = true;
  }
  for (Starter& starter : starters_) {
    if (starter.started.feeder.is_there()) starter.started.feeder.kill();
  }
  for (Starter& starter : starters_) {
    if (starter.complaints != nullptr && !starter.complaints->at_end()) starter.complaints->ready(EPOLLIN);
  }
}

}  // namespace nasvm
