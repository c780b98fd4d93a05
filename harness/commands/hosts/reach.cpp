#include "harness/commands/hosts/reach.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "harness/session/order.hpp"
#include "vm/broadcast/static_group.hpp"

namespace nasvm {
namespace {

/// Longer than members of a group wait for each other.
constexpr std::chrono::seconds patience{60};
constexpr Rank asking = 0;

/// So many tasks that each host has one, as tasks are placed.
int tasks_for_all(const Machine::Options& options) {
  for (int tasks = static_cast<int>(options.hosts.size());; ++tasks) {
    const std::vector<int> places = place_ranks(options.hosts, tasks);
    if (std::set<int>(places.begin(), places.end()).size() == options.hosts.size()) return tasks;
  }
}

}  // namespace

std::string reach_order() {
  return to_text([](Fields& fields) { describe_kind(fields, order_kind_reach); });
}

std::string describe_reach(Task& task) {
  const multicast::Surroundings here = task.surroundings();
  const int host = here.hosts[static_cast<std::size_t>(task.comm().rank())];
  const auto first_of_host = std::ranges::find(here.hosts, host) - here.hosts.begin();
  const bool takes_part = first_of_host == task.comm().rank();
  const auto members = task.comm().split(takes_part ? 0 : -1, task.comm().rank());
  if (!takes_part) return {};
  multicast::StaticGroup group(here, *members, asking, multicast::parse_protocol("nak"));
  const multicast::StaticGroup::Facts& facts = group.facts();
  const bool unreached = std::ranges::find(facts.unreached, members->rank()) != facts.unreached.end();
  const auto others = static_cast<std::size_t>(members->size() - 1);
  const bool reached = members->rank() == asking ? facts.unreached.size() < others : !unreached;
  HostReach reach{.host = members->rank(),
                  .reached = reached,
                  .interface = facts.interface,
                  .packet_bytes = facts.packet_bytes,
                  .room_bytes = facts.room_bytes,
                  .round_trip_s = std::chrono::duration<double>(facts.round_trip).count(),
                  .why_not = facts.why_not};
  if (members->rank() == asking) {
    reach.window = group.window();
    reach.patience_s = std::chrono::duration<double>(group.patience()).count();
  }
  group.close();
  return text_of_record(reach);
}

std::vector<HostReach> reach_of_hosts(Machines& machines, const Machine::Options& options) {
  Machine::Program program;
  program.size = tasks_for_all(options);
  program.transport = "auto";
  program.setup = reach_order();
  program.timeout = patience;
  const std::vector<int> places = place_ranks(options.hosts, program.size);
  std::vector<HostReach> hosts;
  const std::vector<std::string> texts = machines.run(program);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    HostReach reach = record_of_text<HostReach>(texts[rank]);
    reach.host = places[rank];
    hosts.push_back(std::move(reach));
  }
  std::ranges::sort(hosts, {}, &HostReach::host);
  return hosts;
}

}  // namespace nasvm
