#include "harness/commands/p2p/task.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "harness/commands/p2p/collective/measure.hpp"
#include "harness/commands/p2p/coupled/measure.hpp"
#include "harness/commands/p2p/mixed/measure.hpp"
#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/own_core.hpp"
#include "harness/commands/p2p/pair/comm_channel.hpp"
#include "harness/commands/p2p/pair/measure.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/commands/p2p/service/measure.hpp"
#include "harness/text.hpp"
#include "vm/cores.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr int measuring_tasks = 2;
constexpr int checked_in_flight = 64;  ///< at least what the check of data has on its way at once

int most_in_flight(const P2pOrder& order) {
  int most = checked_in_flight;
  for (const std::uint64_t bytes : order.sizes) most = std::max(most, window_of(order.effort, bytes));
  return most;
}

std::unique_ptr<Channel> open_channel(Comm& comm, const P2pOrder& order) {
  if (order.yardstick.empty()) {
    return std::make_unique<CommChannel>(comm, 1 - comm.rank(), most_in_flight(order));
  }
  const Yardstick* yardstick = find_yardstick(order.yardstick);
  if (yardstick == nullptr) throw UsageError("there is no yardstick \"" + order.yardstick + "\" in this program");
  return yardstick->open(comm, order.address);
}

/// Has every task a core of its own?
bool bind_all(const P2pOrder& order, Comm& comm) {
  const bool bound = bind_to_own_core(order.bind, comm.rank(), comm.size());
  return comm.allreduce_value(bound ? 1 : 0, Min{}) == 1;
}

P2pReport measure_pair(const P2pOrder& order, Comm& comm) {
  const bool bound = bind_to_own_core(order.bind, comm.rank(), measuring_tasks);
  const std::unique_ptr<Channel> channel = open_channel(comm, order);
  const std::uint64_t most_bytes = *std::ranges::max_element(order.sizes);
  Meter meter(*channel, comm.rank() == 0 ? Side::leader : Side::follower, order.effort, most_bytes);
  P2pReport report;
  for (const std::uint64_t bytes : order.sizes) {
    report.records.push_back(meter.measure(bytes));
    P2pRecord& record = report.records.back();
    record.method = order.yardstick.empty() ? std::string(comm.method(1 - comm.rank())) : order.yardstick;
    record.bound = bound;
  }
  report.complaints = meter.complaints();
  return report;
}

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

/// Every collective of the order at all its sizes. Rank 0's report has the records, every task's its own complaints.
P2pReport measure_collectives(const P2pOrder& order, Comm& comm) {
  const bool all_bound = bind_all(order, comm);
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

/// All sizes of the order; rank 0's report has two records for each, without their transports. With fewer cores than
/// tasks, the last core has several.
P2pReport measure_mixed(const P2pOrder& order, Comm& comm) {
  const int cores = usable_cores();
  const bool bound = bind_to_own_core(order.bind, std::min(comm.rank(), cores - 1), cores);
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

P2pReport measure_service(const P2pOrder& order, Task& task) {
  const bool all_bound = bind_all(order, task.comm());
  P2pReport report;
  report.service = measure_requests(task, order.effort, order.sizes);
  for (ServiceRecord& record : report.service) record.bound = all_bound;
  return report;
}

P2pReport measure_coupled(const P2pOrder& order, Task& task) {
  const bool all_bound = bind_all(order, task.comm());
  CoupledMeasured measured = measure_coupled(task, order.effort, order.sizes, order.by_hand);
  P2pReport report;
  report.complaints = std::move(measured.complaints);
  if (task.comm().rank() != 0) return report;
  report.coupled = std::move(measured.records);
  for (CoupledRecord& record : report.coupled) record.bound = all_bound;
  return report;
}

P2pReport report_of(const P2pOrder& order, Comm& comm) {
  if (order.kind == P2pKind::collective) return measure_collectives(order, comm);
  if (order.kind == P2pKind::mixed) return measure_mixed(order, comm);
  return comm.rank() < measuring_tasks ? measure_pair(order, comm) : P2pReport{};
}

}  // namespace

std::string measure_p2p(std::string_view order, Comm& comm) {
  return text_of_record(report_of(record_of_text<P2pOrder>(order), comm));
}

std::string measure_p2p(std::string_view text, Task& task) {
  const auto order = record_of_text<P2pOrder>(text);
  if (order.kind == P2pKind::service) return text_of_record(measure_service(order, task));
  if (order.kind == P2pKind::coupled) return text_of_record(measure_coupled(order, task));
  return measure_p2p(text, task.comm());
}

}  // namespace nasvm
