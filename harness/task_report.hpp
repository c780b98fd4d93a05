#pragma once
/// \file
/// What the harness tells the tasks of a run, and what each of them reports back: texts that travel through the
/// virtual machine.

#include <map>
#include <string>
#include <string_view>

#include "harness/record.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

class Task;

/// What a task is to do.
struct TaskOrder {
  std::string kernel;
  Problem problem;

  [[nodiscard]] std::string to_text() const;
  static TaskOrder from_text(std::string_view text);
};

/// What it has done.
struct TaskReport {
  bool verified = false;
  double time_s = 0;
  RankRecord communication;
  std::map<std::string, MethodRecord> sent_by_method;
  std::vector<std::pair<std::string, std::string>> details;

  [[nodiscard]] std::string to_text() const;
  static TaskReport from_text(std::string_view text);
};

TaskReport make_task_report(Task& task, const Outcome& outcome);

}  // namespace nasvm
