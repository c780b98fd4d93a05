#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/coupled/model.hpp"
#include "harness/commands/p2p/executor.hpp"
#include "harness/commands/p2p/mixed/measure.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/commands/p2p/plan.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

/// Yardsticks use the machine only to find each other.
constexpr std::string_view yardstick_transport = "daemon";

/// How long the tasks of a cheap pair poll before they sleep: longer than any answer takes.
constexpr int polling_us = 1000;

/// Of a pair the first and the last host, one task each: other tasks would only take their cores. Else all hosts.
Machine::Options machine_for(const P2pOptions& options) {
  Machine::Options machine = machine_options(options.machine);
  if (machine.hosts.size() == 1 || options.kind == P2pKind::collective) return machine;
  const std::vector<HostSpec> all = machine.hosts;
  machine.hosts = {all.front()};
  if (all.size() > 1) machine.hosts.push_back(all.back());
  for (HostSpec& host : machine.hosts) host.slots = 1;
  if (options.kind == P2pKind::mixed) machine.hosts.front().slots = 2;  // the cheap pair is on one
  if (options.kind == P2pKind::coupled) {                               // a component on each
    machine.hosts.front().slots = atmosphere_tasks(options.np);
    machine.hosts.back().slots = options.np - atmosphere_tasks(options.np);
  }
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
    if (follower.records[i].bound == false) leader.records[i].bound = false;
  }
  leader.complaints.insert(leader.complaints.end(), follower.complaints.begin(), follower.complaints.end());
}

class VmP2pExecutor final : public P2pExecutor {
 public:
  explicit VmP2pExecutor(const P2pOptions& options)
      : machines_(machine_for(options), transports_of(options.paths), options.machine.vm),
        options_(options),
        timeout_(milliseconds_of(options.timeout_s)),
        meter_(machines_.conditions_meter(options.machine)) {}

  P2pReport run(const P2pSpec& spec) override {
    const P2pOrder order = order_for(spec);
    if (order.sizes.empty()) return {};
    Machine::Program program;
    program.size = options_.np;
    program.bind = Binding::none;  // the tasks do that themselves, as the order says
    program.transport = spec.yardstick ? yardstick_transport : spec.path;
    if (options_.kind == P2pKind::mixed) set_orders(program, spec.skip_poll);
    if (options_.kind == P2pKind::coupled) set_orders(program, scenario_of(spec));
    program.setup = text_of_record(order);
    limit_time(program, timeout_);
    return under_conditions(meter_.get(), options_.np, [&] { return report_of(machines_.run(program)); });
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_) record.no_conditions = other_computers;
    return record;
  }

 private:
  P2pReport report_of(const std::vector<std::string>& reports) const {
    P2pReport report = record_of_text<P2pReport>(reports.at(0));
    name_transports(report.mixed);
    for (std::size_t rank = 1; rank < reports.size(); ++rank) merge(report, record_of_text<P2pReport>(reports[rank]));
    for (CollectiveRecord& record : report.collectives) record.hosts_used = machines_.hosts_used(options_.np);
    return report;
  }

  /// The first transport for the cheap pair, the second for the expensive one. Where there are fewer cores than
  /// tasks, both peers share one: then the cheap one polls, which is what is measured, and the expensive one sleeps
  /// while it waits.
  void set_orders(Machine::Program& program, int skip_poll) {
    int cores = mixed_tasks;
    for (const HostRecord& host : machines_.record().hosts) cores = std::min(cores, host.cores);
    const auto order = [&](const std::string& path, int spin_us) {
      const std::string spin = cores < mixed_tasks ? fmt::format(":spin={}", spin_us) : "";
      return fmt::format("{}{}:skip_poll={}", path, path.find(":spin=") == std::string::npos ? spin : "", skip_poll);
    };
    const std::string cheap = order(options_.paths[0], polling_us);
    program.transport = cheap;
    program.pair_orders = {{mixed_middle, mixed_cheap, cheap},
                           {mixed_middle, mixed_expensive, order(options_.paths[1], 0)},
                           {mixed_cheap, mixed_expensive, options_.paths[1]}};
  }

  [[nodiscard]] CoupledScenario scenario_of(const P2pSpec& spec) const {
    const std::vector<CoupledScenario> all = scenarios_of(options_);
    return *std::ranges::find(all, spec.path, &CoupledScenario::name);
  }

  void set_orders(Machine::Program& program, const CoupledScenario& scenario) const {
    program.transport = scenario.inside;
    if (scenario.between == scenario.inside) return;
    const int tasks = options_.np;
    for (Rank air = 0; air < atmosphere_tasks(tasks); ++air) {
      for (Rank water = atmosphere_tasks(tasks); water < tasks; ++water) {
        program.pair_orders.push_back({air, water, scenario.between});
      }
    }
  }

  /// Tasks know their orders, but not how the user wrote them.
  void name_transports(std::vector<MixedRecord>& records) const {
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].transport = options_.paths[i % 2];
      records[i].beside = options_.paths[1 - i % 2];
    }
  }

  P2pOrder order_for(const P2pSpec& spec) const {
    P2pOrder order;
    order.kind = options_.kind;
    order.collectives = options_.collectives;
    order.sizes = options_.sizes;
    order.effort = options_.effort;
    order.bind = options_.bind;
    if (order.kind == P2pKind::coupled) order.by_hand = scenario_of(spec).by_hand;
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
  std::unique_ptr<ConditionsMeter> meter_;  ///< of this computer: none where there are others
};

}  // namespace

std::unique_ptr<P2pExecutor> make_vm_p2p_executor(const P2pOptions& options) {
  return std::make_unique<VmP2pExecutor>(options);
}

}  // namespace nasvm
