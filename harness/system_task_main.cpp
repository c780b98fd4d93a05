/// \file
/// `nasvm-mpi-task`, `nasvm-pvm-task`: one task of a run over a message system, linked with that system's library;
/// started for `nasvm run` and by nobody else.

#include "harness/orders.hpp"
#include "vm/system/task.hpp"

namespace {

void do_order(nasvm::SystemTask& task) {
  task.report(nasvm::carry_out_order(task.setup(), task.comm(), task.host()));
}

}  // namespace

int main() { return nasvm::run_system_task(nasvm::join_message_system, do_order); }
