#include "harness/commands/hosts/surveyor.hpp"

#include "harness/commands/hosts/task.hpp"
#include "harness/session/machines.hpp"
#include "vm/launch/machine.hpp"
#include "vm/process/programs.hpp"

namespace nasvm {
namespace {

/// Nothing that takes longer is about to come.
constexpr std::chrono::seconds patience{60};

std::vector<SurveyedHost> hosts_of(const Machine& machine, const std::vector<HostSpec>& specs, int np) {
  std::vector<SurveyedHost> hosts;
  for (const HostFacts& facts : machine.hosts()) {
    hosts.push_back({facts, {}});
    hosts.back().kernel = "Linux " + facts.kernel;
  }
  const std::vector<int> places = place_ranks(specs, np);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    hosts[static_cast<std::size_t>(places[rank])].ranks.push_back(static_cast<int>(rank));
  }
  return hosts;
}

SurveyedMethods methods_over(Machine& machine, const std::string& transport, int np) {
  Machine::Program program;
  program.path = process::own_program();
  program.arguments = {"task"};
  program.size = np;
  program.transport = transport;
  program.setup = methods_order();
  program.timeout = patience;
  SurveyedMethods methods{transport, {}};
  for (const std::string& text : machine.run(program)) methods.tasks.push_back(record_of_text<TaskMethods>(text));
  return methods;
}

}  // namespace

Survey survey_machine(const HostsOptions& options) {
  const Machine::Options described = machine_options(options.machine);
  Machine machine(described);
  Survey survey{hosts_of(machine, described.hosts, options.np), options.np, {}};
  if (!options.methods) return survey;
  for (const std::string& transport : options.transports) {
    survey.methods.push_back(methods_over(machine, transport, options.np));
  }
  return survey;
}

}  // namespace nasvm
