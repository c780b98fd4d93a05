#include <cmath>
#include <utility>

#include "harness/machines.hpp"
#include "harness/p2p/executor.hpp"
#include "harness/p2p/yardstick.hpp"

namespace nasvm {
namespace {

/// Yardsticks use the machine only to find each other.
constexpr std::string_view yardstick_transport = "daemon";

/// Of a pair the first and the last host, one task each: other tasks would only take their cores. Else all hosts.
Machine::Options machine_options(const P2pOptions& options) {
  Machine::Options machine;
  if (options.hostfile.empty()) return machine;
  const std::vector<HostSpec> all = read_hostfile(options.hostfile);
  if (options.kind == P2pKind::collective) {
    machine.hosts = all;
    return machine;
  }
  machine.hosts = {all.front()};
  if (all.size() > 1) machine.hosts.push_back(all.back());
  for (HostSpec& host : machine.hosts) host.slots = 1;
  return machine;
}

/// What carries each path's messages, or at least its beginning.
std::vector<std::string> transports_of(const std::vector<std::string>& paths) {
  std::vector<std::string> transports;
  for (const std::string& path : paths) {
    transports.push_back(find_yardstick(path) != nullptr ? std::string(yardstick_transport) : path);
  }
  return transports;
}

/// What all tasks say made one report: rank 0's records, with what the others say of them.
void merge(P2pReport& leader, const P2pReport& follower) {
  for (std::size_t i = 0; i < leader.records.size() && i < follower.records.size(); ++i) {
    if (follower.records[i].data == DataCheck::failed) leader.records[i].data = DataCheck::failed;
    leader.records[i].bound = leader.records[i].bound && follower.records[i].bound;
  }
  leader.complaints.insert(leader.complaints.end(), follower.complaints.begin(), follower.complaints.end());
}

class VmP2pExecutor final : public P2pExecutor {
 public:
  explicit VmP2pExecutor(const P2pOptions& options)
      : machines_(machine_options(options), transports_of(options.paths)),
        options_(options),
        timeout_(static_cast<std::int64_t>(std::ceil(options.timeout_s * 1000))) {}

  P2pReport run(const P2pSpec& spec) override {
    const P2pOrder order = order_for(spec);
    if (order.sizes.empty()) return {};
    Machine::Program program;
    program.size = options_.np;
    program.transport = spec.yardstick ? yardstick_transport : spec.path;
    program.setup = order.to_text();
    program.timeout = timeout_;
    const std::vector<std::string> reports = machines_.run(program);
    P2pReport report = P2pReport::from_text(reports.at(0));
    for (std::size_t rank = 1; rank < reports.size(); ++rank) merge(report, P2pReport::from_text(reports[rank]));
    return report;
  }

  MachineRecord machine() override { return machines_.record(); }

 private:
  P2pOrder order_for(const P2pSpec& spec) const {
    P2pOrder order;
    order.kind = options_.kind;
    order.collectives = options_.collectives;
    order.sizes = options_.sizes;
    order.effort = options_.effort;
    order.bind = options_.bind == "core";
    if (spec.yardstick) {
      order.yardstick = spec.path;
      order.address = machines_.first_address();
      std::erase(order.sizes, 0u);  // streams have no empty messages
    }
    return order;
  }

  Machines machines_;
  P2pOptions options_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

std::unique_ptr<P2pExecutor> make_vm_p2p_executor(const P2pOptions& options) {
  return std::make_unique<VmP2pExecutor>(options);
}

}  // namespace nasvm
