#include "harness/session/machines.hpp"

#include <utility>

#include "harness/document/machine_info.hpp"
#include "harness/kernel_runs/vm_executor.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {

Machines::Machines(const Machine::Options& options, std::span<const std::string> transports)
    : first_address_(options.hosts.front().address) {
  bool all_over_systems = true;
  for (const std::string& transport : transports) {
    const std::string_view system = message_system_of(transport);
    all_over_systems = all_over_systems && !system.empty();
    if (system.empty()) continue;
    (void)system_program(system);  // says early when it is not there
    systems_.try_emplace(system, system, options.hosts);
  }
  if (!all_over_systems) machine_.emplace(options);
}

std::vector<std::string> Machines::run(Machine::Program program) {
  const std::string_view system = message_system_of(program.transport);
  if (!system.empty()) {
    program.path = system_program(system);
    return systems_.at(system).run(program);
  }
  program.path = own_program();
  program.arguments = {"task"};
  return machine_->run(program);
}

MachineRecord Machines::record() const {
  return machine_ ? machine_record(*machine_) : MachineRecord{{local_host()}};
}

}  // namespace nasvm
