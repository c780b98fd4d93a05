#include "vm/launch/program_run.hpp"

#include <algorithm>
#include <utility>

#include "vm/launch/placement.hpp"

namespace nasvm {
namespace {

protocol::Setup setup_of(const Machine::Program& program) {
  protocol::Setup setup{
      .program = program.setup, .transport = program.transport, .pairs = {}, .bind = program.bind == Binding::core};
  for (const auto& [first, second, transport] : program.pair_orders)
    setup.pairs.push_back({first, second, transport});
  return setup;
}

Tid next_tid(std::vector<TaskHost>& hosts, std::size_t host) {
  int& local = hosts[host].next_local;
  if (local > max_tasks_per_host) local = 1;
  return Tid::task(static_cast<int>(host) + 1, local++);
}

}  // namespace

ProgramRun::ProgramRun(const Machine::Program& program, std::vector<TaskHost>& hosts) : hosts_(hosts) {
  for (const std::size_t host : place_tasks(program, hosts)) {
    TaskState& task = tasks_.emplace_back();
    task.host = host;
    task.tid = next_tid(hosts, host);
  }
}

std::map<std::size_t, protocol::Spawn> ProgramRun::spawns(const Machine::Program& program) const {
  std::map<std::size_t, protocol::Spawn> messages;
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
    messages[tasks_[rank].host].tasks.push_back({tasks_[rank].tid, static_cast<int>(rank)});
  }
  for (auto& [host, message] : messages) {
    message.program = program.path;
    message.arguments = program.arguments;
    message.environment = program.environment;
    message.size = program.size;
    message.setup = setup_of(program);
    message.load = load_on(host, program.threads);
  }
  return messages;
}

protocol::Load ProgramRun::load_on(std::size_t host, int threads_per_task) const {
  const auto same = [&](const TaskHost& other) { return other.computer == hosts_[host].computer; };
  const auto tasks =
      static_cast<int>(std::ranges::count_if(tasks_, [&](const TaskState& task) { return same(hosts_[task.host]); }));
  return {.tasks = tasks,
          .threads = tasks * threads_per_task,
          .daemons = static_cast<int>(
              std::ranges::count_if(hosts_, [&](const TaskHost& other) { return same(other) && other.is_there(); }))};
}

protocol::Start ProgramRun::start() const {
  protocol::Start message;
  for (const TaskState& task : tasks_) {
    message.members.push_back({task.tid, hosts_[task.host].spec.name, task.descriptors});
  }
  return message;
}

// --- hearing -------------------------------------------------------------------------------------------------------

ProgramRun::TaskState* ProgramRun::find(Tid tid) {
  const auto found = std::ranges::find(tasks_, tid, &TaskState::tid);
  return found == tasks_.end() ? nullptr : &*found;
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
  if (exited.clean) return;
  verdict.note(exited.signal ? Gravity::killed : Gravity::exited, describe(*task) + " " + exited.text, now);
}

void ProgramRun::take(const protocol::Failed& failed, Verdict& verdict, TimePoint now) {
  TaskState* task = find(failed.tid);
  if (task == nullptr) return;
  task->pid = failed.pid;
  verdict.note(Gravity::failed, describe(*task) + ": " + failed.text, now, failed.exit);
}

void ProgramRun::take(const protocol::Blocked& blocked, Verdict& verdict, TimePoint now) {
  if (find(blocked.tid) == nullptr) return;
  waits_.note(blocked);
  const std::vector<Tid> cycle = waits_.cycle();
  if (!cycle.empty()) verdict.note(Gravity::failed, describe_cycle(cycle), now);
}

std::string ProgramRun::describe_cycle(const std::vector<Tid>& cycle) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto rank = [&](std::size_t place) {
      return "rank " + std::to_string(find(cycle[place % cycle.size()]) - tasks_.data());
    };
    text += (i == 0 ? rank(i) + " waits in send for " : ", " + rank(i) + " for ") + rank(i + 1);
  }
  return text + " to receive, and none of them does: receive in between, or let each keep more (daemon:buffer=)";
}

void ProgramRun::take_report(Tid tid, std::string_view piece) {
  if (TaskState* task = find(tid)) task->report.append(piece);
}

std::string ProgramRun::describe(const TaskState& task) const {
  return "rank " + std::to_string(&task - tasks_.data()) + " (task " + to_string(task.tid) + ", pid " +
         std::to_string(task.pid) + ", host " + hosts_[task.host].spec.name + ")";
}

// --- asking --------------------------------------------------------------------------------------------------------

bool ProgramRun::has(Tid task) const { return std::ranges::find(tasks_, task, &TaskState::tid) != tasks_.end(); }
bool ProgramRun::all_ready() const { return std::ranges::all_of(tasks_, &TaskState::is_ready); }
bool ProgramRun::all_over() const { return std::ranges::all_of(tasks_, &TaskState::is_over); }

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
    if (task.host == host && !task.is_over && task.pid > 0) pids.push_back(static_cast<pid_t>(task.pid));
  }
  return pids;
}

std::vector<Machine::RunningTask> ProgramRun::running() const {
  std::vector<Machine::RunningTask> running;
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
    const TaskState& task = tasks_[rank];
    if (!task.is_over) running.push_back({task.tid, static_cast<int>(rank), task.host, task.pid});
  }
  return running;
}

}  // namespace nasvm
