#include "harness/task_main.hpp"

#include "harness/task_report.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

void run_kernel(Task& task) {
  const TaskOrder order = TaskOrder::from_text(task.setup());
  const Kernel* kernel = find_kernel(order.kernel);
  if (kernel == nullptr) throw UsageError("there is no kernel \"" + order.kernel + "\" in this program");
  const Outcome outcome = kernel->run(task.comm(), order.problem);
  task.report(make_task_report(task, outcome).to_text());
}

}  // namespace

int task_main(int, char**) { return run_task(run_kernel); }

}  // namespace nasvm
