#include "harness/commands/p2p/task.hpp"

#include <algorithm>
#include <memory>

#include "harness/commands/p2p/binding.hpp"
#include "harness/commands/p2p/collective/task.hpp"
#include "harness/commands/p2p/mixed/task.hpp"
#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/pair/comm_channel.hpp"
#include "harness/commands/p2p/pair/measure.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
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

P2pReport measure_pair(Comm& comm, const P2pOrder& order) {
  const bool bound = order.bind && bind_to_core(comm.rank(), measuring_tasks);
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

P2pReport report_of(const P2pOrder& order, Comm& comm) {
  if (order.kind == P2pKind::collective) return measure_collectives(order, comm);
  if (order.kind == P2pKind::mixed) return measure_mixed(order, comm);
  return comm.rank() < measuring_tasks ? measure_pair(comm, order) : P2pReport{};
}

}  // namespace

std::string measure_p2p(std::string_view order, Comm& comm) {
  return text_of_record(report_of(record_of_text<P2pOrder>(order), comm));
}

}  // namespace nasvm
