#include <cmath>
#include <utility>

#include "harness/machines.hpp"
#include "harness/p2p/executor.hpp"
#include "harness/p2p/yardstick.hpp"

namespace nasvm {
namespace {

/// Yardsticks use the machine only to find each other.
constexpr std::string_view yardstick_transport = "daemon";

/// The first and the last host, one task each: other tasks would only take their cores.
Machine::Options two_host_options(const std::string& hostfile) {
  Machine::Options machine;
  if (hostfile.empty()) return machine;
  const std::vector<HostSpec> all = read_hostfile(hostfile);
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

/// What both tasks say of each record made one.
P2pReport merge(P2pReport leader, const P2pReport& follower) {
  for (std::size_t i = 0; i < leader.records.size() && i < follower.records.size(); ++i) {
    if (follower.records[i].data == DataCheck::failed) leader.records[i].data = DataCheck::failed;
    leader.records[i].bound = leader.records[i].bound && follower.records[i].bound;
  }
  leader.complaints.insert(leader.complaints.end(), follower.complaints.begin(), follower.complaints.end());
  return leader;
}

class VmP2pExecutor final : public P2pExecutor {
 public:
  explicit VmP2pExecutor(const P2pOptions& options)
      : machines_(two_host_options(options.hostfile), transports_of(options.paths)),
        sizes_(options.sizes),
        effort_(options.effort),
        bind_(options.bind == "core"),
        timeout_(static_cast<std::int64_t>(std::ceil(options.timeout_s * 1000))) {}

  P2pReport run(const P2pSpec& spec) override {
    const P2pOrder order = order_for(spec);
    if (order.sizes.empty()) return {};
    Machine::Program program;
    program.size = 2;
    program.bind = false;  // the tasks do that themselves, as the order says
    program.transport = spec.yardstick ? yardstick_transport : spec.path;
    program.setup = order.to_text();
    program.timeout = timeout_;
    const std::vector<std::string> reports = machines_.run(program);
    return merge(P2pReport::from_text(reports.at(0)), P2pReport::from_text(reports.at(1)));
  }

  MachineRecord machine() override { return machines_.record(); }

 private:
  P2pOrder order_for(const P2pSpec& spec) const {
    P2pOrder order;
    order.sizes = sizes_;
    order.effort = effort_;
    order.bind = bind_;
    if (spec.yardstick) {
      order.yardstick = spec.path;
      order.address = machines_.first_address();
      std::erase(order.sizes, 0u);  // streams have no empty messages
    }
    return order;
  }

  Machines machines_;
  std::vector<std::uint64_t> sizes_;
  Effort effort_;
  bool bind_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

std::unique_ptr<P2pExecutor> make_vm_p2p_executor(const P2pOptions& options) {
  return std::make_unique<VmP2pExecutor>(options);
}

}  // namespace nasvm
