#include "harness/machines.hpp"

#include <algorithm>
#include <utility>

#include "harness/machine_info.hpp"
#include "harness/vm_executor.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {

Machines::Machines(const Machine::Options& options, std::span<const std::string> transports)
    : first_address_(options.hosts.front().address) {
  if (std::ranges::any_of(transports, goes_by_mpi)) {
    (void)mpi_task_program();  // says early when it is not there
    mpi_.emplace(options.hosts);
  }
  if (!std::ranges::all_of(transports, goes_by_mpi)) machine_.emplace(options);
}

std::vector<std::string> Machines::run(Machine::Program program) {
  if (goes_by_mpi(program.transport)) {
    program.path = mpi_task_program();
    return mpi_->run(program);
  }
  program.path = own_program();
  program.arguments = {"task"};
  return machine_->run(program);
}

MachineRecord Machines::record() const {
  return machine_ ? machine_record(*machine_) : MachineRecord{{local_host()}};
}

}  // namespace nasvm
