#include "vm/daemon/daemon.hpp"

#include <sched.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vm/daemon/console_connection.hpp"
#include "vm/daemon/host_facts.hpp"
#include "vm/daemon/task_process.hpp"
#include "vm/multicast/fanout/copies.hpp"
#include "vm/net/address.hpp"
#include "vm/process/descriptors.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"
#include "vm/version.hpp"
#include "vm/waiting/choice.hpp"

namespace nasvm::daemon {
namespace {

/// A console whose computer is out of reach for so long is gone, and so is the machine.
constexpr std::chrono::seconds console_patience{20};
/// File descriptors of a daemon for each task: its socket and its process.
constexpr std::size_t descriptors_per_task = 2;
/// Its other file descriptors: standard streams, poller, console, datagrams, and some for starting processes.
constexpr std::size_t other_descriptors = 16;
/// Until what tasks have left behind is gone.
constexpr std::chrono::seconds orphan_patience{1};
/// Between two checks for hosts that do not answer.
constexpr std::chrono::seconds check_interval{1};
/// Without a check for so long, this daemon has been paused.
constexpr std::chrono::seconds longest_without_check = 3 * check_interval;
/// Polls as tasks in a crowd do, offering the core after each look: the tasks may want it.
constexpr Patience::Options waiting{spin_in_crowd, true};

void ensure_descriptors(std::size_t tasks) {
  const std::size_t needed = descriptors_per_task * tasks + other_descriptors;
  const std::size_t limit = process::raise_descriptor_limit(needed);
  if (limit >= needed) return;
  throw RunError("a daemon needs " + std::to_string(needed) + " file descriptors for " + std::to_string(tasks) +
                 " tasks on its host but the limit is " + std::to_string(limit) +
                 ": raise it (ulimit -n) or run fewer tasks");
}

}  // namespace

Daemon::Daemon(const protocol::Bootstrap& bootstrap, Place place)
    : place_(std::move(place)),
      secret_(bootstrap.secret),
      self_(Tid::daemon(place_.host)),
      pauses_(longest_without_check),
      patience_(waiting),
      router_(place_.host),
      tasks_([this](const protocol::Spawn& program,
                    const protocol::TaskEntry& entry) { return start_task(program, entry); },
             [this](const protocol::Message& message) {
               tell_console(message);
               // What concerns many tasks takes long, and nothing else leaves until it is done with all.
               if (!std::holds_alternative<protocol::Pong>(message)) return;
               console_->push_out();
               hosts_->stay_in_touch();
             }) {
  // Tasks inherit it.
  (void)process::raise_descriptor_limit(std::numeric_limits<std::size_t>::max());
  const Secret secret = secret_from_hex(bootstrap.secret);
  hosts_ = std::make_unique<HostPorts>(place_.host, place_.address, secret, poller_);
  net::Fd console = connect_to_console(bootstrap.console, place_.host, secret, console_redial);
  net::set_keep_alive(console.get(), console_patience);
  router_.set_sharing(hosts_->sharing());
  console_ = std::make_unique<StreamPort>(std::move(console), Tid::console(), port_context(),
                                          [this](StreamPort::End) { halted_ = true; });
  router_.set_console(*console_);
  protocol::Hello hello = host_facts();
  hello.host = place_.host;
  hello.pid = ::getpid();
  hello.version = build_version();
  hello.address = place_.address;
  hello.udp_port = hosts_->address().port();
  tell_console(hello);
}

Daemon::Reaper::~Reaper() { process::end_other_children({}, orphan_patience); }

Daemon::~Daemon() {
  tasks_.end();
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

std::string Daemon::remark() const {
  const auto name_of = [this](int host) { return hosts_->name_of(host); };
  std::vector<std::string> facts{hosts_->stats().text(name_of), hosts_->sharing_stats().text()};
  if (!unicast_because_.empty()) facts.push_back("takes no part in IP multicast: " + unicast_because_);
  std::erase(facts, "");
  return facts.empty() ? "" : fmt::format("host {}: {}", place_.name, fmt::join(facts, "; "));
}

void Daemon::check_hosts() {
  const auto now = std::chrono::steady_clock::now();
  if (pauses_.look(now)) hosts_->excuse_silence(now);
  for (const HostPort* lost : hosts_->lost()) {
    if (!told_lost_.insert(lost->host()).second) continue;
    tell_console(protocol::Lost{.host = lost->host(), .text = lost->describe_loss(place_.name)});
  }
}

// --- control ----------------------------------------------------------------------------------------------------

void Daemon::control(const Envelope& envelope, std::span<const std::byte> text) {
  if (envelope.kind != PacketKind::control) return;
  const Tid source{envelope.source};
  try {
    hear(source, protocol::parse(text));
  } catch (const std::exception&) {
    report_failure(source, current_complaint());
  }
}

void Daemon::hear(Tid source, const protocol::Message& message) {
  if (source == Tid::console()) return from_console(message);
  if (source.is_daemon()) return from_daemon(source.host(), message);
  if (source.host() != place_.host) protocol::refuse(protocol::type_of(message));
  // The late words of a task that has ended concern nobody.
  if (tasks_.find(source) != nullptr) from_task(source, message);
}

void Daemon::report_failure(Tid source, const Complaint& complaint) {
  const LocalTask* task = tasks_.find(source);
  tell_console(protocol::Failed{.tid = task == nullptr ? self_ : source,
                                .pid = task == nullptr ? 0 : task->pid(),
                                .exit = complaint.exit_status,
                                .text = complaint.text});
}

void Daemon::from_console(const protocol::Message& message) {
  const protocol::Handlers handlers{
      [this](const protocol::Hosts& hosts) { meet_hosts(hosts); },
      [this](const protocol::Spawn& program) { spawn(program); },
      [this](const protocol::Start& start) { tasks_.begin(start); },
      [this](const protocol::Kill&) { tasks_.kill(); },
      [this](const protocol::End& end) { tasks_.end(end.task); },
      [this](const protocol::Answer& answer) { tasks_.pass(answer.task, answer); },
      [this](const protocol::Gone& gone) { tasks_.pass(gone.task, gone); },
      [this](const protocol::Where& where) { tasks_.pass_all(where); },
      [this](const protocol::Forget& forget) { forget_host(forget.host); },
      [this](const protocol::Ping&) { tell_console(protocol::Pong{}); },
      [this](const protocol::Halt&) { halted_ = true; },
  };
  protocol::dispatch(message, handlers);
}

void Daemon::from_daemon(int host, const protocol::Message& message) {
  protocol::dispatch(message, protocol::Handlers{[&](const protocol::Group& group) { open_group(group, host); }});
}

void Daemon::from_task(Tid task, const protocol::Message& message) {
  const protocol::Handlers handlers{
      [&](const protocol::Ready& ready) { tasks_.forward(task, ready); },
      [&](const protocol::Blocked& blocked) { tasks_.forward(task, blocked); },
      [&](const protocol::Waits& waits) { tasks_.forward(task, waits); },
      [&](const protocol::Failed& failed) { tasks_.forward(task, failed); },
      [&](const protocol::SpawnOrder& order) { tasks_.forward(task, order); },
      [&](const protocol::KillOrder& order) { tasks_.forward(task, order); },
      [&](const protocol::Watch& watch) { tasks_.forward(task, watch); },
      [&](const protocol::GroupCall& call) { tasks_.forward(task, call); },
      [&](const protocol::Group& group) { open_group(group, 0); },
      [&](const protocol::Done& done) { tasks_.note_done(task, done.alone); },
  };
  protocol::dispatch(message, handlers);
}

void Daemon::meet_hosts(const protocol::Hosts& message) {
  group_ = message.group;
  for (const auto& [host, name, address, udp_port] : message.hosts) {
    if (host == place_.host || hosts_->has(host)) continue;
    try {
      const auto peer = net::make_address(address, udp_port);
      router_.add_host(host, hosts_->add(host, name, peer, ready_, router_, *this));
    } catch (const RunError& error) {
      // The later of the two is lost: a new host without a way to the others must not cost the machine all of them.
      tell_console(
          protocol::Lost{.host = std::max(host, place_.host),
                         .text = fmt::format("host {} cannot talk to host {}: {}", place_.name, name, error.what())});
    }
  }
}

/// A daemon that cannot take part just does not: what is for it comes alone.
void Daemon::join_group() {
  if (group_.empty() || group_tried_) return;
  group_tried_ = true;
  try {
    const auto group = multicast::parse_group_address(group_);
    unicast_because_ = hosts_->join(group);
  } catch (const RunError& error) {
    unicast_because_ = error.what();
  }
}

void Daemon::forget_host(int host) {
  router_.remove_host(host);
  hosts_->remove(host);
  told_lost_.erase(host);
}

void Daemon::open_group(const protocol::Group& message, int from_host) {
  const auto elsewhere = router_.open_group(message.group, message.tids, from_host);
  if (message.share && from_host == 0) router_.want_sharing(message.group);
  for (const auto& [host, members] : elsewhere) {
    const Tid daemon = Tid::daemon(host);
    for (const Router::Exit& exit : router_.exits(daemon)) {
      // In the lane of the task whose group it is: before its packets for the new members, after those for the old.
      exit.port->send_control(self_, daemon, protocol::Group{.group = message.group, .tids = members},
                              Tid::task(message.group.host(), message.group.local()));
    }
  }
}

// --- tasks ------------------------------------------------------------------------------------------------------

void Daemon::spawn(const protocol::Spawn& message) {
  try {
    ensure_descriptors(tasks_.size() + message.tasks.size());
  } catch (const RunError&) {
    return tasks_.refuse(message);
  }
  if (multicast::are_shared(message.setup.multicast)) join_group();
  tasks_.spawn(message);
}

std::unique_ptr<LocalTask> Daemon::start_task(const protocol::Spawn& message, const protocol::TaskEntry& entry) {
  const Tid tid = entry.tid;
  auto task = std::make_unique<TaskProcess>(message, tid, port_context(), [this, tid] {
    report_failure(tid, {Exit::broken, "what it has sent its daemon is not a packet"});
  });
  task->send(ControlText(protocol::Welcome{.version = std::string(build_version()),
                                           .tid = tid,
                                           .rank = entry.rank,
                                           .size = message.size,
                                           .rank_here = entry.rank_here,
                                           .size_here = message.size_here,
                                           .address = place_.address,
                                           .secret = secret_,
                                           .setup = message.setup,
                                           .load = message.load,
                                           .parent = message.parent}));
  return task;
}

void Daemon::sweep() {
  const std::size_t before = tasks_.size();
  tasks_.sweep();
  const bool has_lost_some = tasks_.size() < before;
  // Whose orphan it is nobody knows: while there are tasks it may be one of theirs.
  if (has_lost_some) {
    if (tasks_.empty()) process::end_other_children({}, orphan_patience);
    else process::reap_other_children(tasks_.pids());
  }
  if (tasks_.empty()) router_.clear_groups();
  if (!has_lost_some) return;
  hosts_->settle();
  hosts_->pump();
}

}  // namespace nasvm::daemon
