#pragma once
/// \file
/// One run of a program as the console sees it: where its tasks are, what they have said, what has become of them.
/// Bookkeeping alone: messages in, messages out. Nothing blocks.

#include <sys/types.h>

#include <cstddef>
#include <map>
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

class ProgramRun {
 public:
  using TimePoint = Verdict::TimePoint;

  /// Places the program's tasks on the hosts, which outlive this.
  ProgramRun(const Machine::Program& program, std::vector<TaskHost>& hosts);

  /// What each host that has tasks is told at first.
  [[nodiscard]] std::map<std::size_t, protocol::Spawn> spawns(const Machine::Program& program) const;
  /// What all are told when all tasks are ready.
  [[nodiscard]] protocol::Start start() const;

  // What is heard of tasks; of those of another run nothing is kept.
  void take(const protocol::Ready& ready);
  void take(const protocol::Exited& exited, Verdict& verdict, TimePoint now);
  void take(const protocol::Failed& failed, Verdict& verdict, TimePoint now);
  void take(const protocol::Blocked& blocked, Verdict& verdict, TimePoint now);
  void take_report(Tid task, std::string_view piece);

  [[nodiscard]] bool has(Tid task) const;
  [[nodiscard]] bool all_ready() const;
  [[nodiscard]] bool all_over() const;
  /// By rank.
  [[nodiscard]] std::vector<std::string> take_reports();
  /// Process ids of the tasks that are not over, on all hosts or on one.
  [[nodiscard]] std::vector<long> pids() const;
  [[nodiscard]] std::vector<pid_t> pids_on(std::size_t host) const;
  /// The tasks that are not over.
  [[nodiscard]] std::vector<Machine::RunningTask> running() const;

 private:
  struct TaskState {
    Tid tid;
    std::size_t host = 0;
    long pid = 0;  ///< 0: not known yet
    bool is_ready = false;
    bool is_over = false;
    DescriptorTable descriptors;
    std::string report;
  };

  [[nodiscard]] TaskState* find(Tid tid);
  /// "rank 1 (task t1.2, pid 4711, host left)"
  [[nodiscard]] std::string describe(const TaskState& task) const;
  [[nodiscard]] std::string describe_cycle(const std::vector<Tid>& cycle);
  [[nodiscard]] protocol::Load load_on(std::size_t host, int threads_per_task) const;

  std::vector<TaskHost>& hosts_;
  std::vector<TaskState> tasks_;  ///< by rank
  WaitGraph waits_;
};

}  // namespace nasvm
