#pragma once
/// \file
/// What the harness tells the tasks of a run, and what each of them reports back: texts that travel through the
/// virtual machine.

#include <map>
#include <string>
#include <string_view>

#include "harness/kernel_runs/record.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

class Comm;

inline constexpr std::string_view order_kind_kernel = "kernel";

/// The kernel that a task is to run.
struct TaskOrder {
  std::string kernel;
  Problem problem;
};

/// What it has done.
struct TaskReport {
  bool verified = false;
  double time_s = 0;
  RankRecord communication;
  std::map<std::string, MethodRecord> sent_by_method;
  NamedTexts details;
};

void describe(Fields& fields, TaskOrder& order);
void describe(Fields& fields, TaskReport& report);

/// Does what the text of an order says. Throws UsageError when it names a kernel that is not there.
Outcome run_kernel_order(std::string_view order_text, Comm& comm);

/// The report of the task of `comm` (the world) on `host`.
TaskReport make_task_report(const Comm& comm, const std::string& host, const Outcome& outcome);

}  // namespace nasvm
