/// \file
/// `nasvm-mpi-task`: one task of a run over transport `mpi`, started by mpirun for `nasvm run` and by nobody else.

#include "harness/orders.hpp"
#include "vm/mpi_task.hpp"

namespace {

void do_order(nasvm::MpiTask& task) { task.report(nasvm::carry_out_order(task.setup(), task.comm(), task.host())); }

}  // namespace

int main() { return nasvm::run_mpi_task(do_order); }
