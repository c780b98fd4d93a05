#include "harness/commands/p2p/collective/task.hpp"

#include <set>
#include <string>

#include "harness/commands/p2p/binding.hpp"
#include "harness/commands/p2p/collective/measure.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// What carries this task's messages, each method once: "shm", "direct+shm".
std::string methods_of(const Comm& comm) {
  std::set<std::string> names;
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (peer != comm.rank()) names.emplace(comm.method(peer));
  }
  return joined(names, "+");
}

const Collective& known_collective(const std::string& name) {
  const Collective* collective = find_collective(name);
  if (collective == nullptr) throw UsageError("there is no collective \"" + name + "\" in this program");
  return *collective;
}

}  // namespace

P2pReport measure_collectives(const P2pOrder& order, Comm& comm) {
  const bool bound = order.bind && bind_to_core(comm.rank(), comm.size());
  const bool all_bound = comm.allreduce_value(bound ? 1 : 0, Min{}) == 1;
  const std::string method = methods_of(comm);
  CollectiveMeter meter(comm, order.effort);
  P2pReport report;
  for (const std::string& name : order.collectives) {
    const Collective& collective = known_collective(name);
    for (const std::uint64_t bytes : collective.sizes_among(order.sizes)) {
      CollectiveRecord record = meter.measure(collective, bytes);
      if (comm.rank() != 0) continue;
      record.method = method;
      record.bound = all_bound;
      report.collectives.push_back(std::move(record));
    }
  }
  report.complaints = meter.complaints();
  return report;
}

}  // namespace nasvm
