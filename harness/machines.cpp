#include "harness/machines.hpp"

#include <utility>

#include "harness/machine_info.hpp"
#include "harness/vm_executor.hpp"

namespace nasvm {

Machines::Machines(const Machine::Options& options, std::span<const std::string> transports)
    : first_address_(options.hosts.front().address) {
  bool all_over_systems = true;
  for (const std::string& transport : transports) {
    const auto system = system_of(transport);
    all_over_systems = all_over_systems && system.has_value();
    if (!system.has_value()) continue;
    (void)system_program(*system->row);  // says early when it is not there
    systems_.try_emplace(system->row->name, *system->row, options.hosts);
  }
  if (!all_over_systems) machine_.emplace(options);
}

std::vector<std::string> Machines::run(Machine::Program program) {
  if (const auto system = system_of(program.transport)) {
    program.path = system_program(*system->row);
    return systems_.at(system->row->name).run(program);
  }
  program.path = own_program();
  program.arguments = {"task"};
  return machine_->run(program);
}

MachineRecord Machines::record() const {
  return machine_ ? machine_record(*machine_) : MachineRecord{{local_host()}};
}

}  // namespace nasvm
