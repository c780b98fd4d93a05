#include "vm/launch/task_services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vm/protocol/protocol.hpp"

namespace nasvm {
namespace {

std::size_t host_of(Tid task) { return static_cast<std::size_t>(task.host()) - 1; }

}  // namespace

// --- requests ------------------------------------------------------------------------------------------------------

void TaskServices::take(const protocol::Message& request, TimePoint now) {
  now_ = now;
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
  if (ending_) throw RunError("spawn: the run is over");
  const std::size_t world = run_.add_world(order);
  for (const Tid task : run_.tasks_of(world)) {
    if (order.watched) watchers_[task].insert(order.tid);
  }
  for (const auto& [host, message] : run_.spawns(world)) tell_(host, message);
  joining_[world] = now_ + join_patience;
}

void TaskServices::kill(const protocol::KillOrder& order) {
  if (!run_.has(order.target)) throw UsageError("kill: there is no task " + to_string(order.target) + " in this run");
  if (run_.is_live(order.target)) {
    end_task(order.target);
  }
  confirm(order.tid);
}

void TaskServices::watch(const protocol::Watch& asked) {
  if (std::ranges::find(asked.targets, asked.tid) != asked.targets.end()) {
    throw UsageError("notify: no task can be told of its own end");
  }
  if (asked.hosts) host_watchers_.insert(asked.tid);
  confirm(asked.tid);
  for (const Tid target : asked.targets) {
    if (run_.is_live(target)) {
      run_.set_watched(target, true);
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
    for (const Tid task : groups_.arrive(asked.group, asked.tid, asked.count)) confirm(task);
    return;
  }
  if (asked.call == "join") {
    made.number = groups_.join(asked.group, asked.tid);
  } else if (asked.call == "leave") {
    break_barriers(groups_.leave(asked.group, asked.tid), to_string(asked.tid) + " has left");
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

void TaskServices::joined() {
  for (auto world = joining_.begin(); world != joining_.end();) {
    if (!run_.is_joined(world->first)) {
      ++world;
      continue;
    }
    begin(world->first);
    world = joining_.erase(world);
  }
}

void TaskServices::begin(std::size_t world) {
  const protocol::Start start = run_.start(world);
  std::set<std::size_t> hosts;
  for (const Member& member : start.members) hosts.insert(host_of(member.tid));
  for (const std::size_t host : hosts) tell_(host, start);
  answer({.task = run_.parent_of(world), .tids = run_.tasks_of(world), .error = {}});
}

void TaskServices::look(TimePoint now) {
  for (auto world = joining_.begin(); world != joining_.end();) {
    const auto [number, deadline] = *world++;
    if (now >= deadline) give_up(number, "spawn: not every task has joined within 120 s", Exit::broken);
  }
}

void TaskServices::not_started(Tid task, const std::string& text, Exit exit) {
  const std::size_t world = run_.world_of(task);
  if (joining_.contains(world)) give_up(world, "spawn: " + text, exit);
}

/// Who has asked is told by the answer, and not of the ends that follow.
void TaskServices::give_up(std::size_t world, const std::string& error, Exit exit) {
  for (const Tid task : run_.tasks_of(world)) {
    watchers_.erase(task);
    if (run_.is_live(task)) end_task(task);
  }
  joining_.erase(world);
  answer({.task = run_.parent_of(world), .tids = {}, .error = error, .exit = exit});
}

/// On purpose.
void TaskServices::end_task(Tid task) {
  run_.expect_kill(task);
  tell_(host_of(task), protocol::End{task});
}

void TaskServices::ended(const protocol::Exited& exited) {
  if (!run_.has(exited.tid)) return;
  const auto words = last_words_.find(exited.tid);
  const bool apart = exited.alone || run_.was_killed(exited.tid);
  tell_end(exited.tid, exited.clean, apart, words == last_words_.end() ? exited.text : words->second);
  joined();
}

void TaskServices::break_barriers(const std::vector<Groups::Broken>& broken, const std::string& why) {
  for (const auto& [group, waiting] : broken) {
    const std::string error = fmt::format("barrier of group \"{}\": {}", group, why);
    for (const Tid task : waiting) answer({.task = task, .tids = {}, .error = error, .exit = Exit::broken});
  }
}

/// Who has gone watches nobody any more.
void TaskServices::drop_watcher(Tid gone) {
  host_watchers_.erase(gone);
  for (auto watched = watchers_.begin(); watched != watchers_.end();) {
    watched->second.erase(gone);
    if (!watched->second.empty()) {
      ++watched;
      continue;
    }
    run_.set_watched(watched->first, false);
    watched = watchers_.erase(watched);
  }
}

void TaskServices::tell_end(Tid gone, bool clean, bool apart, const std::string& text) {
  break_barriers(groups_.remove(gone), to_string(gone) + " has ended");
  drop_watcher(gone);
  const auto watchers = watchers_.extract(gone);
  if (run_.worlds() == 1 && watchers.empty() && !apart) return;  // they leave together, or fail together
  for (const Tid task : run_.live()) {
    const bool asked = !watchers.empty() && watchers.mapped().contains(task);
    tell_task(task, protocol::Gone{task, gone, clean, asked, text, apart});
  }
}

bool TaskServices::host_lost(std::size_t host, const std::string& text) {
  for (const Tid task : run_.live_on(host)) drop_watcher(task);
  const auto [tasks, excused] = run_.lose_host(host);
  if (!excused) return false;
  for (const Tid task : tasks) tell_end(task, false, true, text);
  tell_host(host, text);
  joined();
  return !tasks.empty();
}

void TaskServices::tell_host(std::size_t host, const std::string& text) {
  const Tid daemon = Tid::daemon(static_cast<int>(host) + 1);
  for (const Tid task : host_watchers_) tell_task(task, protocol::Gone{task, daemon, false, true, text});
}

void TaskServices::stop() {
  ending_ = true;
  joining_.clear();
}

void TaskServices::end_spawned() {
  stop();
  for (const Tid task : run_.live()) end_task(task);
}

}  // namespace nasvm
