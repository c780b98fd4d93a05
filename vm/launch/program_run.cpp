#include "vm/launch/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vm/launch/placement.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm {
namespace {

Tid next_tid(std::vector<TaskHost>& hosts, std::size_t host) {
  int& local = hosts[host].next_local;
  if (local > max_tasks_per_host) local = 1;
  return Tid::task(static_cast<int>(host) + 1, local++);
}

/// What would have no effect, or one that nobody can explain. Throws UsageError.
void check(const Machine::Program& program) {
  if (program.path.empty()) throw UsageError("a program without a path cannot be run");
  for (const std::string& variable : program.environment) {
    const std::size_t name = variable.find('=');
    if (name != 0 && name != std::string::npos) continue;
    throw UsageError(fmt::format("environment \"{}\": expected NAME=value", variable));
  }
  if (!program.multicast.empty()) (void)multicast::parse_protocol_of_broadcasts(program.multicast);
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < program.size; };
  for (const auto& [first, second, transport] : program.pair_orders) {
    if (is_rank(first) && is_rank(second)) continue;
    throw UsageError(fmt::format("transport {} between ranks {} and {}: the program has ranks 0 to {}", transport,
                                 first, second, program.size - 1));
  }
}

}  // namespace

protocol::Setup setup_of(const Machine::Program& program) {
  protocol::Setup setup{.program = program.setup,
                        .transport = program.transport,
                        .pairs = {},
                        .bind = program.bind == Binding::core,
                        .multicast = program.multicast};
  for (const auto& [first, second, transport] : program.pair_orders)
    setup.pairs.push_back({first, second, transport});
  return setup;
}

ProgramRun::ProgramRun(Machine::Program program, std::vector<TaskHost>& hosts)
    : program_(std::move(program)), hosts_(hosts) {
  const std::vector<std::size_t> places = place_tasks(program_, hosts);
  check(program_);
  worlds_.push_back({.parent = Tid::console(),
                     .program = program_.path,
                     .arguments = program_.arguments,
                     .setup = program_.setup,
                     .first = 0,
                     .size = static_cast<std::size_t>(program_.size)});
  for (const std::size_t host : places) add_task(host);
}

std::size_t ProgramRun::add_world(const protocol::SpawnOrder& order) {
  const bool own = order.program.empty();
  const std::vector<std::size_t> places = place_spawned(order.count, order.host, hosts_, tasks_by_host());
  check_numbers(places);
  worlds_.push_back({.parent = order.tid,
                     .program = own ? program_.path : order.program,
                     .arguments = own ? program_.arguments : order.arguments,
                     .setup = order.setup,
                     .first = tasks_.size(),
                     .size = places.size()});
  for (const std::size_t host : places) {
    add_task(host);
    tasks_.back().is_watched = order.watched;
  }
  return worlds_.size() - 1;
}

void ProgramRun::check_numbers(const std::vector<std::size_t>& places) const {
  std::vector<int> used(hosts_.size());
  for (const TaskState& task : tasks_) ++used[task.host];
  for (const std::size_t host : places) {
    if (++used[host] <= max_tasks_per_host) continue;
    throw UsageError(fmt::format("spawn: host {} has numbers for {} tasks in a run, and these would be more",
                                 hosts_[host].spec.name, max_tasks_per_host));
  }
}

void ProgramRun::add_task(std::size_t host) {
  TaskState& task = tasks_.emplace_back();
  task.host = host;
  task.world = worlds_.size() - 1;
  // Numbers go on from run to run and come round. Within a run none is used twice (check_numbers): tasks that live on
  // remember who has ended.
  task.tid = next_tid(hosts_, host);
}

std::vector<int> ProgramRun::tasks_by_host() const {
  std::vector<int> counts(hosts_.size());
  for (const TaskState& task : tasks_) counts[task.host] += task.is_over ? 0 : 1;
  return counts;
}

std::span<const ProgramRun::TaskState> ProgramRun::of_world(std::size_t world) const {
  return std::span(tasks_).subspan(worlds_[world].first, worlds_[world].size);
}

std::map<std::size_t, protocol::Spawn> ProgramRun::spawns(std::size_t world) const {
  std::map<std::size_t, protocol::Spawn> messages;
  std::map<std::string, int> tasks_on;  // computers
  int rank = 0;
  for (const TaskState& task : of_world(world)) {
    messages[task.host].tasks.push_back({task.tid, rank++, tasks_on[hosts_[task.host].computer]++});
  }
  const World& of = worlds_[world];
  for (auto& [host, message] : messages) {
    message.program = of.program;
    message.arguments = of.arguments;
    message.environment = program_.environment;
    message.size = static_cast<int>(of.size);
    message.size_here = tasks_on[hosts_[host].computer];
    message.setup = setup_of(program_);
    message.setup.program = of.setup;
    if (world > 0) message.setup.pairs.clear();  // they name ranks of the first world
    message.load = load_on(host);
    message.parent = of.parent;
  }
  return messages;
}

protocol::Load ProgramRun::load_on(std::size_t host) const {
  const auto same = [&](const TaskHost& other) { return other.computer == hosts_[host].computer; };
  const auto is_there = [&](const TaskState& task) { return same(hosts_[task.host]) && !task.is_over; };
  const auto tasks = static_cast<int>(std::ranges::count_if(tasks_, is_there));
  return {.tasks = tasks,
          .threads = tasks * program_.threads,
          .daemons = static_cast<int>(
              std::ranges::count_if(hosts_, [&](const TaskHost& other) { return same(other) && other.is_there(); }))};
}

protocol::Start ProgramRun::start(std::size_t world) const {
  protocol::Start message;
  for (const TaskState& task : of_world(world)) {
    message.members.push_back({task.tid, hosts_[task.host].spec.name, task.descriptors});
  }
  return message;
}

// --- hearing -------------------------------------------------------------------------------------------------------

const ProgramRun::TaskState* ProgramRun::find(Tid tid) const {
  const auto found = std::ranges::find(tasks_, tid, &TaskState::tid);
  return found == tasks_.end() ? nullptr : &*found;
}

ProgramRun::TaskState* ProgramRun::find(Tid tid) { return const_cast<TaskState*>(std::as_const(*this).find(tid)); }

void ProgramRun::set_watched(Tid tid, bool watched) {
  if (TaskState* task = find(tid)) task->is_watched = watched;
}

void ProgramRun::expect_kill(Tid tid) {
  if (TaskState* task = find(tid)) task->is_killed = true;
}

ProgramRun::LostTasks ProgramRun::lose_host(std::size_t host) {
  LostTasks lost;
  for (TaskState& task : tasks_) {
    if (task.host != host || task.is_over) continue;
    lost.tasks.push_back(task.tid);
    lost.excused = lost.excused && task.is_excused();
    task.is_over = task.is_excused();
    task.is_lost = true;
    waits_.forget(task.tid);
  }
  return lost;
}

void ProgramRun::take(const protocol::Ready& ready) {
  TaskState* task = find(ready.tid);
  if (task == nullptr) return;
  task->pid = ready.pid;
  task->is_ready = true;
  task->descriptors = ready.descriptors;
}

void ProgramRun::take(const protocol::Exited& exited, Verdict& verdict, TimePoint now) {
  TaskState* task = find(exited.tid);
  if (task == nullptr) return;
  task->pid = exited.pid;
  task->is_over = true;
  waits_.forget(task->tid);
  if (exited.clean || task->is_excused()) return;
  verdict.note(exited.signal ? Gravity::killed : Gravity::exited, describe(*task) + " " + exited.text, now);
}

void ProgramRun::take(const protocol::NotStarted& refused) {
  TaskState* task = find(refused.tid);
  task->is_over = true;
  task->is_killed = true;
}

void ProgramRun::take(const protocol::Failed& failed, Verdict& verdict, TimePoint now) {
  TaskState* task = find(failed.tid);
  if (task == nullptr) return;
  task->pid = failed.pid;
  if (!task->is_excused()) verdict.note(Gravity::failed, describe(*task) + ": " + failed.text, now, failed.exit);
}

void ProgramRun::take(const protocol::Blocked& blocked, Verdict& verdict, TimePoint now) {
  const TaskState* task = find(blocked.tid);
  if (task == nullptr || task->is_over || task->is_lost) return;
  waits_.note(blocked);
  const std::vector<Tid> cycle = waits_.cycle();
  if (!cycle.empty()) verdict.note(Gravity::failed, describe_cycle(cycle), now);
}

void ProgramRun::take(const protocol::Waits& waits) {
  if (TaskState* task = find(waits.tid)) task->waits_for = waits.text;
}

bool ProgramRun::all_have_said() const {
  return std::ranges::all_of(tasks_, [](const TaskState& task) {
    return !task.is_ready || task.is_over || task.is_lost || !task.waits_for.empty();
  });
}

std::string ProgramRun::where_all_are() const {
  constexpr std::size_t most = 8;
  if (std::ranges::all_of(tasks_, [](const TaskState& task) { return task.waits_for.empty(); })) return "";
  std::string text;
  std::size_t told = 0, more = 0;
  for (const TaskState& task : tasks_) {
    if (task.is_over || task.is_lost) continue;
    if (++told > most) {
      ++more;
      continue;
    }
    text += fmt::format("{}{} {}", text.empty() ? ": " : "; ", name_of(task),
                        task.waits_for.empty() ? "computes, or does not look at messages" : task.waits_for);
  }
  if (more != 0) text += fmt::format("; and {} more", more);
  return text + ended_text();
}

/// Others may wait for them.
std::string ProgramRun::ended_text() const {
  constexpr std::size_t most = 4;
  std::vector<std::string> ended;
  for (const TaskState& task : tasks_) {
    if (task.is_over) ended.push_back(name_of(task));
  }
  if (ended.empty()) return "";
  const std::size_t shown = std::min(most, ended.size());
  const std::string more = ended.size() > shown ? fmt::format(" and {} more", ended.size() - shown) : "";
  return fmt::format("; {}{} {} ended", fmt::join(std::span(ended).first(shown), ", "), more,
                     ended.size() == 1 ? "has" : "have");
}

std::string ProgramRun::describe_cycle(const std::vector<Tid>& cycle) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto who = [&](std::size_t place) { return name_of(*find(cycle[place % cycle.size()])); };
    text += (i == 0 ? who(i) + " waits in send for " : ", " + who(i) + " for ") + who(i + 1);
  }
  return text + " to receive, and none of them does: receive in between, or let each keep more (daemon:buffer=)";
}

void ProgramRun::take_report(Tid tid, std::string_view piece) {
  if (TaskState* task = find(tid)) task->report.append(piece);
}

int ProgramRun::rank_of(const TaskState& task) const {
  return static_cast<int>(&task - tasks_.data() - static_cast<std::ptrdiff_t>(worlds_[task.world].first));
}

std::string ProgramRun::name_of(const TaskState& task) const {
  if (task.world == 0) return fmt::format("rank {}", rank_of(task));
  return fmt::format("rank {} of those that {} has spawned", rank_of(task), to_string(worlds_[task.world].parent));
}

std::string ProgramRun::describe(const TaskState& task) const {
  return fmt::format("{} (task {}, pid {}, host {})", name_of(task), to_string(task.tid), task.pid,
                     hosts_[task.host].spec.name);
}

// --- asking --------------------------------------------------------------------------------------------------------

bool ProgramRun::has(Tid task) const { return find(task) != nullptr; }

bool ProgramRun::is_live(Tid tid) const {
  const TaskState* task = find(tid);
  return task != nullptr && !task->is_over;
}

std::vector<Tid> ProgramRun::live() const {
  std::vector<Tid> tids;
  for (const TaskState& task : tasks_) {
    if (!task.is_over) tids.push_back(task.tid);
  }
  return tids;
}

std::vector<Tid> ProgramRun::live_on(std::size_t host) const {
  std::vector<Tid> tids;
  for (const TaskState& task : tasks_) {
    if (task.host == host && !task.is_over) tids.push_back(task.tid);
  }
  return tids;
}

std::vector<Tid> ProgramRun::tasks_of(std::size_t world) const {
  std::vector<Tid> tids;
  for (const TaskState& task : of_world(world)) tids.push_back(task.tid);
  return tids;
}

bool ProgramRun::is_joined(std::size_t world) const {
  return std::ranges::all_of(of_world(world), [](const TaskState& task) { return task.is_ready || task.is_over; });
}

bool ProgramRun::all_over() const { return std::ranges::all_of(of_world(0), &TaskState::is_over); }

std::vector<std::string> ProgramRun::take_reports() {
  std::vector<std::string> reports;
  for (TaskState& task : tasks_) reports.push_back(std::move(task.report));
  return reports;
}

std::vector<long> ProgramRun::pids() const {
  std::vector<long> pids;
  for (const TaskState& task : tasks_) {
    if (!task.is_over) pids.push_back(task.pid);
  }
  return pids;
}

std::vector<pid_t> ProgramRun::pids_on(std::size_t host) const {
  std::vector<pid_t> pids;
  for (const TaskState& task : tasks_) {
    if (task.host == host && (!task.is_over || task.is_lost) && task.pid > 0)
      pids.push_back(static_cast<pid_t>(task.pid));
  }
  return pids;
}

std::vector<Machine::RunningTask> ProgramRun::running() const {
  std::vector<Machine::RunningTask> running;
  for (const TaskState& task : tasks_) {
    if (!task.is_over) running.push_back({task.tid, rank_of(task), task.host, task.pid});
  }
  return running;
}

}  // namespace nasvm
