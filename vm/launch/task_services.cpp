#include "vm/launch/task_services.hpp"

#include <utility>

#include "vm/protocol/protocol.hpp"

namespace nasvm {
namespace {

std::size_t host_of(Tid task) { return static_cast<std::size_t>(task.host()) - 1; }

}  // namespace

// --- requests ------------------------------------------------------------------------------------------------------

void TaskServices::take(const protocol::Message& request) {
  const auto answered = [this](const auto& content, auto serve) {
    try {
      (this->*serve)(content);
    } catch (const Error&) {
      answer_error(content.tid);
    }
  };
  const protocol::Handlers handlers{
      [&](const protocol::SpawnOrder& order) { answered(order, &TaskServices::spawn); },
      [&](const protocol::KillOrder& order) { answered(order, &TaskServices::kill); },
      [&](const protocol::Watch& asked) { answered(asked, &TaskServices::watch); },
      [&](const protocol::GroupCall& asked) { answered(asked, &TaskServices::call); },
  };
  protocol::dispatch(request, handlers);
}

/// Answered when they have joined.
void TaskServices::spawn(const protocol::SpawnOrder& order) {
  const std::size_t world = run_.add_world(order);
  for (const Tid task : run_.tasks_of(world)) {
    if (order.watched) watchers_[task].insert(order.tid);
  }
  for (const auto& [host, message] : run_.spawns(world)) tell_(host, message);
}

void TaskServices::kill(const protocol::KillOrder& order) {
  if (!run_.has(order.target)) throw UsageError("kill: there is no task " + to_string(order.target) + " in this run");
  if (run_.is_live(order.target)) {
    run_.excuse(order.target);
    tell_(host_of(order.target), protocol::End{order.target});
  }
  answer({.task = order.tid, .tids = {}, .error = {}});
}

void TaskServices::watch(const protocol::Watch& asked) {
  if (asked.hosts) host_watchers_.insert(asked.tid);
  answer({.task = asked.tid, .tids = {}, .error = {}});
  for (const Tid target : asked.targets) {
    if (run_.is_live(target)) {
      run_.excuse(target);
      watchers_[target].insert(asked.tid);
    } else {
      const char* text = run_.has(target) ? "had ended before" : "is no task of this run";
      tell_task(asked.tid, protocol::Gone{asked.tid, target, false, true, text});
    }
  }
}

void TaskServices::call(const protocol::GroupCall& asked) {
  protocol::Answer made{.task = asked.tid, .tids = {}, .error = {}};
  if (asked.call == "barrier") {
    for (const Tid task : groups_.arrive(asked.group, asked.tid, asked.count)) {
      answer({.task = task, .tids = {}, .error = {}});
    }
    return;
  }
  if (asked.call == "join") {
    made.number = groups_.join(asked.group, asked.tid);
  } else if (asked.call == "leave") {
    groups_.leave(asked.group, asked.tid);
  } else if (asked.call == "members") {
    made.tids = groups_.members(asked.group);
  } else {
    throw RunError("\"" + asked.call + "\" is nothing that can be asked of a group");
  }
  answer(made);
}

void TaskServices::answer_error(Tid task) {
  const auto [exit_status, text] = current_complaint();
  answer({.task = task, .tids = {}, .error = text, .exit = exit_status});
}

void TaskServices::tell_task(Tid task, const protocol::Message& message) {
  if (run_.is_live(task)) tell_(host_of(task), message);
}

// --- events --------------------------------------------------------------------------------------------------------

/// Worlds begin in the order in which they were asked for.
void TaskServices::joined() {
  for (; begun_ < run_.worlds() && run_.is_joined(begun_); ++begun_) {
    const protocol::Start start = run_.start(begun_);
    std::set<std::size_t> hosts;
    for (const Member& member : start.members) hosts.insert(host_of(member.tid));
    for (const std::size_t host : hosts) tell_(host, start);
    answer({.task = run_.parent_of(begun_), .tids = run_.tasks_of(begun_), .error = {}});
  }
}

void TaskServices::ended(const protocol::Exited& exited) {
  if (!run_.has(exited.tid)) return;
  const auto words = last_words_.find(exited.tid);
  tell_end(exited.tid, exited.clean, words == last_words_.end() ? exited.text : words->second);
  joined();
}

void TaskServices::tell_end(Tid gone, bool clean, const std::string& text) {
  for (const auto& [group, waiting] : groups_.remove(gone)) {
    const std::string error = "barrier of group \"" + group + "\": " + to_string(gone) + " has ended";
    for (const Tid task : waiting) answer({.task = task, .tids = {}, .error = error, .exit = Exit::broken});
  }
  const auto watchers = watchers_.extract(gone);
  host_watchers_.erase(gone);
  if (run_.worlds() == 1 && watchers.empty()) return;  // they leave together, or fail together
  for (const Tid task : run_.live()) {
    const bool asked = !watchers.empty() && watchers.mapped().contains(task);
    tell_task(task, protocol::Gone{task, gone, clean, asked, text});
  }
}

bool TaskServices::host_lost(std::size_t host, const std::string& text) {
  const auto [tasks, excused] = run_.lose_host(host);
  if (!excused) return false;
  for (const Tid task : tasks) tell_end(task, false, text);
  tell_host(host, text);
  joined();
  return !tasks.empty();
}

void TaskServices::tell_host(std::size_t host, const std::string& text) {
  const Tid daemon = Tid::daemon(static_cast<int>(host) + 1);
  for (const Tid task : host_watchers_) tell_task(task, protocol::Gone{task, daemon, false, true, text});
}

void TaskServices::end_spawned() {
  for (const Tid task : run_.live()) {
    run_.excuse(task);
    tell_(host_of(task), protocol::End{task});
  }
}

}  // namespace nasvm
