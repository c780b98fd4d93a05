/// \file
/// `nasvm-mpi-task`, `nasvm-pvm-task`: one task of a run over a message system, linked with that system's library;
/// started for `nasvm run` and by nobody else.

#include <csignal>

#include "harness/commands/io/order.hpp"
#include "harness/commands/io/task.hpp"
#include "harness/orders.hpp"
#include "harness/session/order.hpp"
#include "vm/system/task.hpp"

namespace {

void do_order(nasvm::SystemTask& task) {
  if (nasvm::order_kind(task.setup()) == nasvm::order_kind_io) {
    const auto open = [&task](const std::string& path, nasvm::SharedFile::Access access) {
      return task.open_shared(path, access);
    };
    return task.report(nasvm::measure_io(task.setup(), {task.comm(), nullptr, open}));
  }
  task.report(nasvm::carry_out_order(task.setup(), task.comm(), task.host()));
}

}  // namespace

int main() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow shows as a failed write, with a message
  return nasvm::run_system_task(nasvm::join_message_system, do_order);
}
