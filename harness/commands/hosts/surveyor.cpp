#include "harness/commands/hosts/surveyor.hpp"

#include <utility>

#include "harness/commands/hosts/reach.hpp"
#include "harness/commands/hosts/task.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

/// Nothing that takes longer is about to come.
constexpr std::chrono::seconds patience{60};

/// The hosts, by the names that the user knows, with the tasks that `places` (of each rank, its host) puts there.
std::vector<SurveyedHost> hosts_of(const Machines& machines, const std::vector<HostSpec>& described,
                                   const std::vector<int>& places) {
  std::vector<SurveyedHost> hosts;
  for (HostFacts& facts : machines.hosts()) {
    facts.name = described[hosts.size()].name;
    hosts.push_back({std::move(facts), static_cast<int>(hosts.size()), {}});
  }
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    hosts[static_cast<std::size_t>(places[rank])].ranks.push_back(static_cast<int>(rank));
  }
  return hosts;
}

Methods methods_over(Machines& machines, const std::string& transport, const std::vector<int>& places) {
  Machine::Program program;
  program.size = static_cast<int>(places.size());
  program.transport = transport;
  program.setup = methods_order();
  program.timeout = patience;
  Methods methods{transport, {}};
  for (const std::string& text : machines.run(program)) {
    for (PairMethod& pair : record_of_text<Methods>(text).pairs) {
      pair.from_host = places.at(static_cast<std::size_t>(pair.from));
      pair.to_host = places.at(static_cast<std::size_t>(pair.to));
      methods.pairs.push_back(std::move(pair));
    }
  }
  return methods;
}

}  // namespace

Survey survey_machine(const HostsOptions& options) {
  const Machine::Options described = machine_options(options.machine);
  Machines machines(described, options.transports, options.machine.vm);
  const std::vector<int> places = place_ranks(described.hosts, options.np);
  Survey survey{hosts_of(machines, described.hosts, places), options.np};
  if (options.multicast) survey.reach = reach_of_hosts(machines, described);
  if (!options.methods) return survey;
  for (const std::string& transport : options.transports) {
    survey.methods.push_back(methods_over(machines, transport, places));
  }
  return survey;
}

}  // namespace nasvm
