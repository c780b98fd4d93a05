#include "vm/daemon/local_tasks.hpp"

#include <sys/wait.h>

#include <string>
#include <utility>

#include "vm/process/child.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Tasks started, or told of the others, between two signs of life to the console, which takes a silent daemon for
/// dead.
constexpr int tasks_between_signs_of_life = 64;

}  // namespace

const LocalTask* LocalTasks::find(Tid tid) const {
  const auto found = tasks_.find(tid);
  return found == tasks_.end() ? nullptr : found->second.task.get();
}

LocalTask* LocalTasks::task_of(Tid tid) { return const_cast<LocalTask*>(find(tid)); }

std::vector<pid_t> LocalTasks::pids() const {
  std::vector<pid_t> pids;
  for (const auto& [tid, entry] : tasks_) pids.push_back(entry.task->pid());
  return pids;
}

void LocalTasks::spawn(const protocol::Spawn& message) {
  int started = 0;
  for (const protocol::TaskEntry& entry : message.tasks) {
    try {
      tasks_[entry.tid] = {start_(message, entry), false};
    } catch (const std::exception&) {
      tell_not_started(entry.tid);
    }
    show_life(++started);
  }
}

void LocalTasks::show_life(int tasks_so_far) {
  if (tasks_so_far % tasks_between_signs_of_life == 0) tell_console_(protocol::Pong{});
}

void LocalTasks::refuse(const protocol::Spawn& message) {
  for (const protocol::TaskEntry& entry : message.tasks) tell_not_started(entry.tid);
}

/// With the exception that is being handled.
void LocalTasks::tell_not_started(Tid tid) {
  const auto [exit_status, text] = current_complaint();
  tell_console_(protocol::NotStarted{.tid = tid, .exit = exit_status, .text = text});
}

void LocalTasks::begin(const protocol::Start& message) {
  const ControlText text(message);  // as long as the world is large, and the same for all
  int told = 0;
  for (const Member& member : message.members) {
    LocalTask* task = task_of(member.tid);
    if (task == nullptr) continue;
    task->send(text);
    task->open();
    show_life(++told);
  }
}

void LocalTasks::pass(Tid tid, const protocol::Message& message) {
  if (LocalTask* task = task_of(tid)) task->send(ControlText(message));
}

void LocalTasks::pass_all(const protocol::Message& message) {
  const ControlText text(message);
  for (auto& [tid, entry] : tasks_) entry.task->send(text);
}

void LocalTasks::end(Tid tid) {
  if (LocalTask* task = task_of(tid)) task->kill();
}

void LocalTasks::note_done(Tid tid, bool alone) {
  const auto found = tasks_.find(tid);
  if (found == tasks_.end()) return;
  found->second.done = true;
  found->second.alone = alone;
  found->second.task->end_output();
}

// --- ends -------------------------------------------------------------------------------------------------------

std::optional<protocol::Exited> LocalTasks::end_of(Tid tid, const Entry& entry) {
  const auto wait_status = entry.task->ended();
  if (!wait_status.has_value()) return std::nullopt;
  // A killed task is reported at once; of others everything that they sent is read first.
  const bool killed = WIFSIGNALED(*wait_status);
  if (!killed && !entry.task->is_heard_out()) return std::nullopt;
  std::string text = process::describe_wait_status(*wait_status);
  if (*wait_status == 0 && !entry.done) text += " without Task::finish or depart";  // what is wrong with it
  return protocol::Exited{.tid = tid,
                          .pid = entry.task->pid(),
                          .clean = entry.done && *wait_status == 0,
                          .signal = killed,
                          .text = std::move(text),
                          .alone = entry.alone};
}

void LocalTasks::sweep() {
  for (auto entry = tasks_.begin(); entry != tasks_.end();) {
    const auto end = end_of(entry->first, entry->second);
    if (!end.has_value()) {
      ++entry;
      continue;
    }
    if (!killing_) tell_console_(*end);
    entry = tasks_.erase(entry);
  }
  say_killed_when_alone();
}

void LocalTasks::end() {
  for (auto& [tid, entry] : tasks_) entry.task->kill();
}

void LocalTasks::kill() {
  killing_ = true;
  end();
  say_killed_when_alone();
}

void LocalTasks::say_killed_when_alone() {
  if (!killing_ || !tasks_.empty()) return;
  killing_ = false;
  tell_console_(protocol::Killed{});
}

}  // namespace nasvm::daemon
