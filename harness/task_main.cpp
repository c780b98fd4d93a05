#include "harness/task_main.hpp"

#include "harness/orders.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

void do_order(Task& task) {
  task.report(carry_out_order(task.setup(), task.comm(), task.host(task.comm().rank())));
}

}  // namespace

int task_main(int, char**) { return run_task(do_order); }

}  // namespace nasvm
