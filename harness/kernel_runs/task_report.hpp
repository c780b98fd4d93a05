#pragma once
/// \file
/// What the harness tells the tasks of a run, and what each of them reports back: texts that travel through the
/// virtual machine.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel_runs/checkpoint_options.hpp"
#include "harness/kernel_runs/record.hpp"
#include "kernels/kernel.hpp"
#include "vm/comm.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_kernel = "kernel";

/// The kernel that a task is to run.
struct TaskOrder {
  std::string kernel;
  Problem problem;
  int peers_named = 0;  ///< how many peers the report may name, with what was sent to each
  CheckpointOptions checkpoints{};
};

/// What it has done.
struct TaskReport {
  bool verified = false;
  double time_s = 0;
  int first_iteration = 1;
  RankRecord communication;
  std::map<std::string, MethodRecord> sent_by_method;
  std::map<std::string, BroadcastRecord> broadcasts;  ///< between hosts, from this task
  std::vector<PairRecord> sent_to;                    ///< `from` is this task
  NamedTexts details;
  TuningChoices choices;
};

void describe(Fields& fields, TaskOrder& order);
void describe(Fields& fields, TaskReport& report);

/// The kernel of an order. Throws UsageError when it is not there.
const Kernel& kernel_of(const TaskOrder& order);

/// The report of a task on `host`; `method_of` names the transport that carries its messages to a peer.
TaskReport make_task_report(const Outcome& outcome, const std::string& host,
                            const std::function<std::string_view(Rank)>& method_of);

/// Does what an order says, and reports: for the task of `comm` (the world) on `host`. Throws UsageError when the
/// order names a kernel that is not there. The order's checkpoints are its problem's (kernel_task.hpp).
TaskReport run_kernel_order(const TaskOrder& order, Comm& comm, const std::string& host);

/// Leaves no more than `most` pairs of one task, those with the most bytes, by rank.
void keep_most(std::vector<PairRecord>& pairs, int most);

/// To whom the task of that rank sent messages, by rank; no more than `most`, those with the most bytes.
std::vector<PairRecord> pairs_from(int rank, const Counters& counters, int most);

}  // namespace nasvm
