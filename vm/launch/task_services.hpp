#pragma once
/// \file
/// What a run's tasks ask of the console: to start tasks and to end them, to be told of ends, and to meet in named
/// groups (docs/decisions/spawned-tasks.md). Nothing blocks: requests in, messages to daemons out. What cannot be
/// done is an answer to the task that has asked.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "vm/launch/groups.hpp"
#include "vm/launch/program_run.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm {

class TaskServices {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Tell = std::function<void(std::size_t host, const protocol::Message& message)>;

  /// `run` outlives this.
  TaskServices(ProgramRun& run, Tell tell) : run_(run), tell_(std::move(tell)) {}

  /// One of the requests; throws RunError for another message.
  void take(const protocol::Message& request, TimePoint now);

  /// Gives up worlds that take too long to join. Now and then.
  void look(TimePoint now);

  // What has become of tasks, after the run has taken it.
  void joined();
  void ended(const protocol::Exited& exited);
  /// The call of spawn fails, and what it has started already ends.
  void not_started(Tid task, const std::string& text, Exit exit);
  /// A task that is not to fail the run gives up, and says why.
  void gave_up(const protocol::Failed& failed) { last_words_[failed.tid] = failed.text; }
  /// True: it had tasks, and the ends of all of them are no failure of the run.
  bool host_lost(std::size_t host, const std::string& text);

  /// From now on nothing is spawned, and nothing begins that has been.
  void stop();
  /// The run is over: stops, and ends what was spawned and is still there.
  void end_spawned();

  /// For the tasks of one call of spawn to join.
  static constexpr std::chrono::seconds join_patience{120};

 private:
  void spawn(const protocol::SpawnOrder& order);
  void begin(std::size_t world);
  void give_up(std::size_t world, const std::string& error, Exit exit);
  void end_task(Tid task);
  void kill(const protocol::KillOrder& order);
  void watch(const protocol::Watch& watch);
  void call(const protocol::GroupCall& call);

  void answer(const protocol::Answer& answer) { tell_task(answer.task, answer); }
  /// What the task has asked for is done.
  void confirm(Tid task) { answer({.task = task, .tids = {}, .error = {}}); }
  /// With the exception that is being handled.
  void answer_error(Tid task);
  void tell_task(Tid task, const protocol::Message& message);
  /// Of a task: all that may have something under way to it, and who has asked. `apart`: its siblings stay.
  void tell_end(Tid gone, bool clean, bool apart, const std::string& text);
  void break_barriers(const std::vector<Groups::Broken>& broken, const std::string& why);
  void drop_watcher(Tid gone);
  void tell_host(std::size_t host, const std::string& text);

  ProgramRun& run_;
  bool ending_ = false;  ///< the first world is over, or given up
  TimePoint now_{};
  Tell tell_;
  Groups groups_;
  std::map<std::size_t, TimePoint> joining_;  ///< worlds that have not begun: until when they may take to join
  std::map<Tid, std::set<Tid>> watchers_;     ///< by what they watch
  std::set<Tid> host_watchers_;
  std::map<Tid, std::string> last_words_;
};

}  // namespace nasvm
