#include "harness/commands/p2p/mixed/task.hpp"

#include <algorithm>

#include "harness/commands/p2p/binding.hpp"
#include "harness/commands/p2p/mixed/measure.hpp"
#include "vm/cores.hpp"

namespace nasvm {

P2pReport measure_mixed(const P2pOrder& order, Comm& comm) {
  const int cores = usable_cores();
  const bool bound = order.bind && bind_to_core(std::min(comm.rank(), cores - 1), cores);
  const bool each_its_own = comm.allreduce_value(bound && cores >= mixed_tasks ? 1 : 0, Min{}) == 1;
  const std::uint64_t most_bytes = *std::ranges::max_element(order.sizes);
  P2pReport report;
  if (comm.rank() != mixed_middle) {
    echo(comm, most_bytes);
    return report;
  }
  MixedMeter meter(comm, order.effort, most_bytes);
  for (const std::uint64_t bytes : order.sizes) {
    for (const auto& [round_trips, latency] : meter.measure(bytes)) {
      MixedRecord record;
      record.bytes = bytes;
      record.iterations = round_trips;
      record.bound = each_its_own;
      record.latency = latency;
      report.mixed.push_back(record);
    }
  }
  meter.stop();
  return report;
}

}  // namespace nasvm
