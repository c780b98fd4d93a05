#include "harness/commands/hosts/reach.hpp"

#include <algorithm>
#include <chrono>

#include "harness/session/order.hpp"
#include "vm/broadcast/static_group.hpp"

namespace nasvm {
namespace {

/// Longer than members of a group wait for each other.
constexpr std::chrono::seconds patience{60};
constexpr Rank asking = 0;

}  // namespace

std::string reach_order() {
  return to_text([](Fields& fields) { describe_kind(fields, order_kind_reach); });
}

std::string describe_reach(Task& task) {
  Comm& comm = task.comm();
  multicast::StaticGroup group(task.surroundings(), comm, asking, multicast::parse_protocol("nak"));
  const multicast::StaticGroup::Facts& facts = group.facts();
  const bool unreached = std::ranges::find(facts.unreached, comm.rank()) != facts.unreached.end();
  const auto others = static_cast<std::size_t>(comm.size() - 1);
  const bool reached = comm.rank() == asking ? facts.unreached.size() < others : !unreached;
  HostReach reach{.host = comm.rank(),
                  .reached = reached,
                  .interface = facts.interface,
                  .packet_bytes = facts.packet_bytes,
                  .room_bytes = facts.room_bytes,
                  .round_trip_s = std::chrono::duration<double>(facts.round_trip).count(),
                  .why_not = facts.why_not};
  if (comm.rank() == asking) {
    reach.window = group.window();
    reach.patience_s = std::chrono::duration<double>(group.patience()).count();
  }
  group.close();
  return text_of_record(reach);
}

std::vector<HostReach> reach_of_hosts(Machines& machines, const Machine::Options& options) {
  Machine::Program program;
  program.size = program.hosts = static_cast<int>(options.hosts.size());
  program.transport = "auto";
  program.setup = reach_order();
  program.timeout = patience;
  std::vector<HostReach> hosts;
  for (const std::string& text : machines.run(program)) hosts.push_back(record_of_text<HostReach>(text));
  return hosts;
}

}  // namespace nasvm
