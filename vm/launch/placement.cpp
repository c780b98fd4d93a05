#include "vm/launch/placement.hpp"

#include <fmt/format.h>

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

std::string no_such_host(const std::string& name, const std::vector<TaskHost>& hosts) {
  std::string names;
  for (const TaskHost& host : hosts) {
    if (host.is_there()) names += (names.empty() ? "" : ", ") + host.spec.name;
  }
  return fmt::format("there is no host \"{}\"; the machine has: {}", name, names);
}

/// One that is gone has the position behind the last: it may be none that gets a task.
Room named(const std::vector<HostSpec>& names, const std::vector<TaskHost>& hosts) {
  Room room;
  for (const HostSpec& wanted : names) {
    const auto is_it = [&](const TaskHost& host) { return host.spec.name == wanted.name; };
    const auto found =
        std::ranges::find_if(hosts, [&](const TaskHost& host) { return host.is_there() && is_it(host); });
    if (found == hosts.end() && std::ranges::none_of(hosts, is_it)) {
      throw UsageError(no_such_host(wanted.name, hosts));
    }
    room.add(static_cast<std::size_t>(found - hosts.begin()), wanted);
  }
  return room;
}

/// In one call: each needs memory and a process.
constexpr int most_spawned = 4096;

/// Positions of the hosts that may take spawned tasks.
std::vector<std::size_t> may_take(const std::string& name, const std::vector<TaskHost>& hosts) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].is_there() && (name.empty() || hosts[i].spec.name == name)) positions.push_back(i);
  }
  if (!positions.empty()) return positions;
  if (std::ranges::none_of(hosts, &TaskHost::is_there)) throw RunError("spawn: no host is left");
  throw UsageError("spawn: " + no_such_host(name, hosts));
}

}  // namespace

std::vector<std::size_t> place_spawned(int count, const std::string& host, const std::vector<TaskHost>& hosts,
                                       std::vector<int> tasks) {
  if (count < 1 || count > most_spawned) {
    throw UsageError("spawn: " + std::to_string(count) + " tasks cannot be started at once; 1 to " +
                     std::to_string(most_spawned) + " can");
  }
  const std::vector<std::size_t> candidates = may_take(host, hosts);
  const auto is_full = [&](std::size_t i) {
    return hosts[i].spec.max_slots > 0 && tasks[i] >= hosts[i].spec.max_slots;
  };
  const auto load = [&](std::size_t i) {
    return static_cast<double>(tasks[i] + 1) / std::max(hosts[i].spec.slots, 1);
  };
  const auto is_better = [&](std::size_t a, std::size_t b) {
    return is_full(a) != is_full(b) ? is_full(b) : load(a) < load(b);
  };
  std::vector<std::size_t> places;
  while (std::ssize(places) < count) {
    const std::size_t best = *std::ranges::min_element(candidates, is_better);
    if (is_full(best)) {
      throw UsageError("spawn: " + std::to_string(count) + " tasks are more than the hosts take: max_slots permits " +
                       std::to_string(places.size()));
    }
    places.push_back(best);
    ++tasks[best];
  }
  return places;
}

std::vector<std::size_t> place_tasks(const Machine::Program& program, const std::vector<TaskHost>& hosts) {
  if (program.size < 1) {
    throw UsageError("a program of " + std::to_string(program.size) + " tasks cannot be run: 1 or more can");
  }
  Room room = program.on.empty() ? all_there(hosts) : named(program.on, hosts);
  if (program.hosts < 0 || std::cmp_greater(program.hosts, room.specs.size())) {
    throw UsageError(
        fmt::format("a program on {} hosts cannot be run: it can have {}", program.hosts, room.specs.size()));
  }
  if (program.hosts > 0) room.specs = spread_over(std::move(room.specs), program.hosts, program.size);
  std::vector<std::size_t> places;
  for (const int place : place_ranks(room.specs, program.size)) {
    const auto of_room = static_cast<std::size_t>(place);
    if (room.positions[of_room] == hosts.size()) {
      throw RunError("host " + room.specs[of_room].name + " is no part of the virtual machine any more");
    }
    places.push_back(room.positions[of_room]);
  }
  return places;
}

}  // namespace nasvm
