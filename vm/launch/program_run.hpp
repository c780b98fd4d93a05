#pragma once
/// \file
/// One run of a program as the console sees it: where its tasks are, what they have said, what has become of them.
/// Bookkeeping alone: messages in, messages out. Nothing blocks.
///
/// The tasks that the run begins with are its first world; each call of spawn adds another (docs/decisions/
/// spawned-tasks.md). The run is over when the first world is.

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/launch/machine.hpp"
#include "vm/launch/verdict.hpp"
#include "vm/launch/wait_graph.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm {

/// A host that takes tasks. Hosts are counted from 0.
struct TaskHost {
  HostSpec spec;
  std::string computer;  ///< equal for hosts that are one computer
  /// Local part of the next task's tid. Counts on from run to run, so that late packets of an earlier one find
  /// nobody.
  int next_local = 1;
  std::string lost{};    ///< why it takes no tasks any more; empty: it does
  bool removed = false;  ///< it is no part of the machine any more

  [[nodiscard]] bool is_there() const { return lost.empty() && !removed; }
};

/// What every task of the program is told.
protocol::Setup setup_of(const Machine::Program& program);

class ProgramRun {
 public:
  using TimePoint = Verdict::TimePoint;

  /// Places the program's tasks on the hosts, which outlive this. Throws UsageError for a program that cannot be
  /// meant, and as place_tasks.
  ProgramRun(Machine::Program program, std::vector<TaskHost>& hosts);
  /// Places the tasks of one more world, and returns its number. Throws UsageError when there is no such host.
  std::size_t add_world(const protocol::SpawnOrder& order);

  /// What each host that has tasks of that world is told at first.
  [[nodiscard]] std::map<std::size_t, protocol::Spawn> spawns(std::size_t world = 0) const;
  /// What they are told when all of that world are ready.
  [[nodiscard]] protocol::Start start(std::size_t world = 0) const;

  // What is heard of tasks; of those of another run nothing is kept.
  void take(const protocol::Ready& ready);
  void take(const protocol::Exited& exited, Verdict& verdict, TimePoint now);
  /// One of the run's tasks will never have been there.
  void take(const protocol::NotStarted& refused);
  void take(const protocol::Failed& failed, Verdict& verdict, TimePoint now);
  void take(const protocol::Blocked& blocked, Verdict& verdict, TimePoint now);
  void take(const protocol::Waits& waits);
  void take_report(Tid task, std::string_view piece);

  /// While others have asked to be told of a task's end, that is no failure of the run, however it comes.
  void set_watched(Tid task, bool watched);
  /// Nor is it when somebody ends the task on purpose.
  void expect_kill(Tid task);
  /// Has that been said of a task of the run?
  [[nodiscard]] bool was_killed(Tid task) const { return find(task)->is_killed; }
  /// The host is lost. Returns its tasks that were there: they are over. False for `excused`: not all of them were.
  struct LostTasks {
    std::vector<Tid> tasks;
    bool excused = true;
  };
  LostTasks lose_host(std::size_t host);

  [[nodiscard]] bool has(Tid task) const;
  /// Is it there, neither ended nor unknown?
  [[nodiscard]] bool is_live(Tid task) const;
  [[nodiscard]] std::vector<Tid> live() const;
  [[nodiscard]] std::vector<Tid> live_on(std::size_t host) const;
  [[nodiscard]] bool all_ready() const { return is_joined(0); }
  /// Have all tasks of that world joined, or ended?
  [[nodiscard]] bool is_joined(std::size_t world) const;
  [[nodiscard]] std::size_t worlds() const { return worlds_.size(); }
  /// Of a task of the run.
  [[nodiscard]] std::size_t world_of(Tid task) const { return find(task)->world; }
  [[nodiscard]] Tid parent_of(std::size_t world) const { return worlds_[world].parent; }
  /// By rank.
  [[nodiscard]] std::vector<Tid> tasks_of(std::size_t world) const;
  /// Has the first world ended?
  [[nodiscard]] bool all_over() const;
  /// Have all tasks that have joined and are not over told what they wait for?
  [[nodiscard]] bool all_have_said() const;
  /// ": rank 0 waits for a message from rank 1 with tag 6; rank 1 ..."; of many, the first. Empty: nobody has said.
  [[nodiscard]] std::string where_all_are() const;
  /// By rank; after the first world's those of the others, in the order of their spawning.
  [[nodiscard]] std::vector<std::string> take_reports();
  /// Process ids of the tasks that are not over, on all hosts or on one; there also of those that the host was lost
  /// with.
  [[nodiscard]] std::vector<long> pids() const;
  [[nodiscard]] std::vector<pid_t> pids_on(std::size_t host) const;
  /// The tasks that are not over.
  [[nodiscard]] std::vector<Machine::RunningTask> running() const;

 private:
  struct TaskState {
    Tid tid;
    std::size_t host = 0;
    long pid = 0;  ///< 0: not known yet
    std::size_t world = 0;
    bool is_ready = false;
    bool is_over = false;
    bool is_watched = false;
    bool is_killed = false;
    bool is_lost = false;  ///< with its host, whose daemon has told of no end
    DescriptorTable descriptors;
    std::string report;
    std::string waits_for;  ///< as it has said; empty: it has not

    [[nodiscard]] bool is_excused() const { return is_watched || is_killed; }
  };

  /// The tasks of a world have their place side by side, by rank.
  struct World {
    Tid parent;
    std::string program;
    std::vector<std::string> arguments;
    std::string setup;
    std::size_t first = 0;
    std::size_t size = 0;
  };

  /// Throws UsageError where a host would have more tasks than there are numbers.
  void check_numbers(const std::vector<std::size_t>& places) const;
  void add_task(std::size_t host);
  [[nodiscard]] std::vector<int> tasks_by_host() const;
  [[nodiscard]] std::span<const TaskState> of_world(std::size_t world) const;
  [[nodiscard]] TaskState* find(Tid tid);
  [[nodiscard]] const TaskState* find(Tid tid) const;
  /// In its world.
  [[nodiscard]] int rank_of(const TaskState& task) const;
  /// "rank 1", "rank 1 of those that t1.1 has spawned"
  [[nodiscard]] std::string name_of(const TaskState& task) const;
  /// "rank 1 (task t1.2, pid 4711, host left)"
  [[nodiscard]] std::string describe(const TaskState& task) const;
  [[nodiscard]] std::string ended_text() const;
  [[nodiscard]] std::string describe_cycle(const std::vector<Tid>& cycle);
  [[nodiscard]] protocol::Load load_on(std::size_t host) const;

  Machine::Program program_;
  std::vector<TaskHost>& hosts_;
  std::vector<World> worlds_;
  std::vector<TaskState> tasks_;
  WaitGraph waits_;
};

}  // namespace nasvm
