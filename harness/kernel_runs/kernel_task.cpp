#include "harness/kernel_runs/kernel_task.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "harness/kernel_runs/checkpoint_file.hpp"
#include "harness/kernel_runs/task_report.hpp"

namespace nasvm {

std::string run_kernel_task(Task& task) {
  auto order = record_of_text<TaskOrder>(task.setup());
  std::optional<CheckpointFile> checkpoints;
  if (order.checkpoints.any()) {
    checkpoints.emplace(task, order.checkpoints, order.kernel, order.problem.problem_class,
                        kernel_of(order).iterations(order.problem));
    order.problem.checkpoints = &*checkpoints;
  }
  TaskReport report = run_kernel_order(order, task.comm(), task.host(task.comm().rank()));
  if (checkpoints) std::ranges::copy(checkpoints->details(), std::back_inserter(report.details));
  return text_of_record(report);
}

}  // namespace nasvm
