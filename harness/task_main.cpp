#include "harness/task_main.hpp"

#include "harness/commands/hosts/reach.hpp"
#include "harness/commands/hosts/task.hpp"
#include "harness/commands/mcast/order.hpp"
#include "harness/commands/mcast/task.hpp"
#include "harness/kernel_runs/farm_task.hpp"
#include "harness/orders.hpp"
#include "harness/session/order.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

void do_order(Task& task) {
  const std::string kind = order_kind(task.setup());
  if (kind == order_kind_reach) return task.report(describe_reach(task));
  if (kind == order_kind_methods) return task.report(describe_methods(task));
  if (kind == order_kind_worker) {
    task.report(serve_farm(task));
    return task.depart();
  }
  if (kind == order_kind_mcast) return task.report(measure_mcast(task.setup(), task));
  if (kind == order_kind_leader) return task.report(lead_farm(task));
  task.report(carry_out_order(task.setup(), task.comm(), task.host(task.comm().rank())));
}

}  // namespace

int task_main(int, char**) { return run_task(do_order); }

}  // namespace nasvm
