#include "harness/task_main.hpp"

#include <cstdio>
#include <optional>

#include "harness/commands/exec/order.hpp"
#include "harness/commands/hosts/reach.hpp"
#include "harness/commands/hosts/task.hpp"
#include "harness/commands/io/order.hpp"
#include "harness/commands/io/task.hpp"
#include "harness/commands/mcast/order.hpp"
#include "harness/commands/mcast/task.hpp"
#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/task.hpp"
#include "harness/kernel_runs/farm_task.hpp"
#include "harness/kernel_runs/kernel_task.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "harness/orders.hpp"
#include "harness/session/order.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

void do_order(Task& task) {
  const std::string kind = order_kind(task.setup());
  if (kind.empty()) {
    throw UsageError("a program that nasvm exec has started spawns others by their paths only (SpawnOrder::program)");
  }
  if (kind == order_kind_reach) return task.report(describe_reach(task));
  if (kind == order_kind_methods) return task.report(describe_methods(task));
  if (kind == order_kind_worker) {
    task.report(serve_farm(task));
    return task.depart();
  }
  if (kind == order_kind_mcast) return task.report(measure_mcast(task.setup(), task));
  if (kind == order_kind_io) return task.report(measure_io(task.setup(), {task.comm(), &task, {}}));
  if (kind == order_kind_p2p) return task.report(measure_p2p(task.setup(), task));
  if (kind == order_kind_kernel) return task.report(run_kernel_task(task));
  if (kind == order_kind_leader) return task.report(lead_farm(task));
  task.report(carry_out_order(task.setup(), task.comm(), task.host(task.comm().rank())));
}

/// A program of others joins the machine by itself. What is wrong before that can only be said.
std::optional<int> become_program() {
  try {
    const Task::Invitation invitation = Task::invitation();
    if (order_kind(invitation.setup) != order_kind_program) return {};
    return abi::run_program_task(program_order(invitation.setup), invitation);
  } catch (const Error& error) {
    std::fprintf(stderr, "nasvm: %s\n", error.what());
    return static_cast<int>(error.exit_status());
  }
}

}  // namespace

int task_main(int, char**) {
  if (Task::in_environment()) {
    if (const auto status = become_program()) return *status;
  }
  return run_task(do_order);
}

}  // namespace nasvm
