#include "harness/kernel_runs/vm_executor.hpp"

#include <algorithm>
#include <iterator>

#include "harness/conditions/meter.hpp"
#include "harness/kernel_runs/farm_task.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

/// The machine of the options, without hosts that no run uses.
Machine::Options machine_for(const RunOptions& options) {
  Machine::Options machine = machine_options(options.machine);
  check_hosts(options.host_counts, machine.hosts.size());
  const auto most = static_cast<std::size_t>(*std::ranges::max_element(options.host_counts));
  if (most > 0) machine.hosts.resize(most);
  return machine;
}

class VmExecutor final : public Executor {
 public:
  explicit VmExecutor(const RunOptions& options)
      : machines_(machine_for(options), options.transports, options.machine.vm),
        meter_(machines_.conditions_meter(options.machine)),
        bind_(options.bind),
        by_rank_(options.by_rank),
        timeout_(milliseconds_of(options.timeout_s)) {}

  RunRecord run(const RunSpec& spec) override {
    Machine::Program program;
    program.environment = environment(spec);
    const bool farmed = spec.kernel->variant(spec.problem.variant).farmed != nullptr;
    program.size = farmed ? 1 : spec.np;
    program.hosts = spec.hosts;
    program.threads = spec.problem.threads;
    program.bind = bind_;
    program.transport = spec.transport;
    program.multicast = spec.multicast;
    const int peers_named = by_rank_ ? most_peers_named(spec.np) : 0;
    const TaskOrder order{std::string(spec.kernel->name), spec.problem, peers_named, spec.checkpoints};
    program.setup = farmed ? leader_order(order, spec.np - 1) : text_of_record(order);
    limit_time(program, timeout_);
    const auto run = [&] { return summarize(machines_.run(program)); };
    return under_conditions(spec.warmup ? nullptr : meter_.get(), spec.np * spec.problem.threads, run);
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_) record.no_conditions = other_computers;
    return record;
  }

 private:
  /// OpenMP threads that wait for each other by spinning take the cores from those they wait for when there are more
  /// threads than cores.
  std::vector<std::string> environment(const RunSpec& spec) const {
    const int threads = spec.problem.threads;
    if (threads == 1 || !machines_.are_crowded(spec.hosts, spec.np, threads)) return {};
    return {"OMP_WAIT_POLICY=passive"};
  }

  /// Of a farm's workers that were lost, the texts are empty.
  static RunRecord summarize(const std::vector<std::string>& texts) {
    RunRecord record;
    record.verified = true;
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      if (texts[rank].empty()) continue;
      TaskReport report = record_of_text<TaskReport>(texts[rank]);
      report.communication.rank = static_cast<int>(rank);
      record.verified = record.verified && report.verified;
      record.time_s = std::max(record.time_s, report.time_s);
      add_by_name(record.comm.by_method, report.sent_by_method);
      add_by_name(record.comm.broadcasts, report.broadcasts);
      std::ranges::copy(report.sent_to, std::back_inserter(record.comm.by_pair));
      record.first_iteration = report.first_iteration;
      if (rank == 0) {
        record.details = std::move(report.details);
        record.choices = std::move(report.choices);
      }
      record.comm.by_rank.push_back(std::move(report.communication));
    }
    add_up(record.comm);
    return record;
  }

  Machines machines_;
  std::unique_ptr<ConditionsMeter> meter_;  ///< of this computer: none where there are others
  Binding bind_;
  bool by_rank_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

std::unique_ptr<Executor> make_vm_executor(const RunOptions& options) {
  return std::make_unique<VmExecutor>(options);
}

}  // namespace nasvm
