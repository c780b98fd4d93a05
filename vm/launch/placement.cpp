#include "vm/launch/placement.hpp"

#include <algorithm>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// Positions among the machine's hosts, and what they take, in the same order.
struct Room {
  std::vector<std::size_t> positions;
  std::vector<HostSpec> specs;

  void add(std::size_t position, HostSpec spec) {
    positions.push_back(position);
    specs.push_back(std::move(spec));
  }
};

Room all_there(const std::vector<TaskHost>& hosts) {
  Room room;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].is_there()) room.add(i, hosts[i].spec);
  }
  if (room.specs.empty()) throw RunError("no host of the virtual machine is left");
  return room;
}

Room named(const std::vector<HostSpec>& names, const std::vector<TaskHost>& hosts) {
  Room room;
  for (const HostSpec& wanted : names) {
    const auto found = std::ranges::find_if(
        hosts, [&](const TaskHost& host) { return host.is_there() && host.spec.name == wanted.name; });
    if (found == hosts.end()) throw RunError("host " + wanted.name + " is no part of the virtual machine any more");
    room.add(static_cast<std::size_t>(found - hosts.begin()), wanted);
  }
  return room;
}

}  // namespace

std::vector<std::size_t> place_tasks(const Machine::Program& program, const std::vector<TaskHost>& hosts) {
  Room room = program.on.empty() ? all_there(hosts) : named(program.on, hosts);
  if (program.hosts > 0) room.specs = spread_over(std::move(room.specs), program.hosts, program.size);
  std::vector<std::size_t> places;
  for (const int place : place_ranks(room.specs, program.size)) {
    places.push_back(room.positions[static_cast<std::size_t>(place)]);
  }
  return places;
}

}  // namespace nasvm
