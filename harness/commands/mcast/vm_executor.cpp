#include <algorithm>
#include <utility>

#include "harness/commands/mcast/executor.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

/// What carries the messages of tasks in any of the runs.
std::vector<std::string> transports_of(const McastOptions& options) {
  std::vector<std::string> transports = options.beside;
  if (!options.variants.empty()) transports.push_back(options.transport);
  return transports;
}

McastOrder order_for(const McastSpec& spec, const McastOptions& options) {
  McastOrder order;
  if (spec.kind != McastKind::system) order.protocol = text_of(spec.variant);
  order.authenticated = options.authenticated;
  order.ttl = options.ttl;
  order.sizes = options.sizes;
  order.effort = options.effort;
  return order;
}

class VmMcastExecutor final : public McastExecutor {
 public:
  explicit VmMcastExecutor(const McastOptions& options)
      : VmMcastExecutor(options, machine_options(options.machine)) {}

  McastReport run(const McastSpec& spec) override {
    Machine::Program program;
    program.size = spec.receivers + 1;
    program.hosts = std::min(program.size, hosts_);
    program.bind = Binding::none;
    program.transport = spec.kind == McastKind::system ? spec.variant.protocol : options_.transport;
    program.setup = text_of_record(order_for(spec, options_));
    limit_time(program, milliseconds_of(options_.timeout_s));
    return under_conditions(meter_.get(), program.size, [&] { return report_of(machines_.run(program)); });
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_) record.no_conditions = other_computers;
    return record;
  }

 private:
  VmMcastExecutor(const McastOptions& options, const Machine::Options& machine)
      : hosts_(static_cast<int>(machine.hosts.size())),
        machines_(machine, transports_of(options), options.machine.vm),
        options_(options),
        meter_(machines_.conditions_meter(options.machine)) {}

  /// What the sender says, with the others' complaints.
  static McastReport report_of(const std::vector<std::string>& reports) {
    McastReport report = record_of_text<McastReport>(reports.at(0));
    for (std::size_t rank = 1; rank < reports.size(); ++rank) {
      for (std::string& complaint : record_of_text<McastReport>(reports[rank]).complaints) {
        report.complaints.push_back(std::move(complaint));
      }
    }
    return report;
  }

  int hosts_;
  Machines machines_;
  McastOptions options_;
  std::unique_ptr<ConditionsMeter> meter_;  ///< of this computer: none where there are others
};

}  // namespace

std::unique_ptr<McastExecutor> make_vm_mcast_executor(const McastOptions& options) {
  return std::make_unique<VmMcastExecutor>(options);
}

}  // namespace nasvm
