#include "harness/commands/mcast/task.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/mcast/auto_channel.hpp"
#include "harness/commands/mcast/comm_channel.hpp"
#include "harness/commands/mcast/copies_channel.hpp"
#include "harness/commands/mcast/group_channel.hpp"
#include "harness/commands/mcast/measure.hpp"
#include "harness/commands/mcast/order.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

std::string chosen_text(const McastRecord& record) {
  return fmt::format("auto: {} to {} by {}", counted(record.bytes, "byte"), counted(record.receivers, "receiver"),
                     record.chosen);
}

McastReport measured(const McastOrder& order, Comm& comm, MulticastChannel& channel) {
  McastMeter meter(comm, channel, order.effort);
  McastReport report;
  for (const std::uint64_t bytes : order.sizes) {
    McastRecord record = meter.measure(bytes);
    record.authenticated = order.authenticated;
    if (comm.rank() == 0) report.records.push_back(std::move(record));
  }
  channel.close();
  report.complaints = meter.complaints();
  for (const McastRecord& record : report.records) {
    if (!record.chosen.empty()) report.remarks.push_back(chosen_text(record));
  }
  return report;
}

std::unique_ptr<MulticastChannel> open_channel(Task& task, const McastOrder& order) {
  if (order.protocol == copies_name) return std::make_unique<CopiesChannel>(task.comm());
  const multicast::GroupOptions options{.authenticated = order.authenticated, .ttl = order.ttl};
  if (order.protocol == multicast::automatic) return std::make_unique<AutoChannel>(task, options);
  return open_group(task, order.protocol, options);
}

}  // namespace

std::string measure_mcast(std::string_view text, Task& task) {
  const auto order = record_of_text<McastOrder>(text);
  const std::unique_ptr<MulticastChannel> channel = open_channel(task, order);
  McastReport report = measured(order, task.comm(), *channel);
  std::vector<std::string> unreached;
  for (const Rank rank : channel->facts().unreached) unreached.push_back(task.host(rank));
  if (task.comm().rank() == 0 && !unreached.empty()) {
    report.remarks.push_back(unreached_text(unreached, report.records));
  }
  return text_of_record(report);
}

std::string measure_mcast(std::string_view text, Comm& comm) {
  auto order = record_of_text<McastOrder>(text);
  order.authenticated = false;
  CommMulticastChannel channel(comm);
  return text_of_record(measured(order, comm, channel));
}

std::string unreached_text(std::span<const std::string> hosts, std::span<const McastRecord> records) {
  const std::vector<std::string> each_once = distinct(hosts, std::identity());
  const bool copies = !std::ranges::all_of(records, &McastRecord::went_by_messages);
  return fmt::format("multicast does not reach {}{}", joined(each_once),
                     !copies                ? ""
                     : each_once.size() > 1 ? ": they get a copy each"
                                            : ": it gets a copy of its own");
}

}  // namespace nasvm
