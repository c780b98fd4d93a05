#include "harness/commands/roofline/roofline.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/commands/roofline/view.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "vm/machine_topology.hpp"
#include "vm/names.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// The work of every case of the plan, once.
std::vector<WorkRecord> works_of(const std::vector<RunSpec>& plan) {
  std::vector<WorkRecord> works;
  for (const RunSpec& spec : plan) {
    const Work work = spec.kernel->work(spec.problem, spec.np);
    const WorkRecord record{std::string(spec.kernel->name),
                            spec.problem.problem_class,
                            spec.np,
                            spec.problem.variant,
                            work.operations,
                            work.bytes,
                            work.working_set_bytes};
    if (std::find(works.begin(), works.end(), record) == works.end()) works.push_back(record);
  }
  return works;
}

/// What is measured here is no limit of other computers.
template <typename Hosts>
[[noreturn]] void refuse(const Hosts& hosts) {
  throw UsageError(
      fmt::format("roofline: the limits are those of this computer, and {} may be {}; run it there, "
                  "without --host and --hostfile",
                  joined(names_of(hosts)), hosts.size() == 1 ? "another" : "others"));
}

/// Before any host is started. Where those of a kept machine are, its daemons have to tell.
void check_hosts(const MachineOptions& machine) {
  if (names_hosts(machine) && !machine.vm.has_value()) refuse(machine_options(machine).hosts);
}

/// Other computers have no conditions.
void check_hosts(const MachineRecord& machine) {
  if (!machine.no_conditions.empty()) refuse(machine.hosts);
}

constexpr std::array views{View{"roofline", "", LimitRecord::section, roofline_grids, roofline_csv, compared_runs}};
constexpr std::array records{record_type<RunRecord>, record_type<LimitRecord>, record_type<WorkRecord>};

class Roofline final : public Command {
 public:
  Roofline(ExecutorFactory make_executor, LimitsProbe probe)
      : make_executor_(std::move(make_executor)), probe_(std::move(probe)) {
    options_.classes = {'A'};
    options_.task_counts = {1};
    options_.transports = {"auto"};
    options_.runs = 3;
    options_.warmup = 1;
  }

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_run_options(line, options_, format_names(tables.formats, views));
    line.footer("Example:\n  nasvm roofline mg cg --class B --np 2 --export-json roofline.json");
  }

  Exit run(const Call& call) override {
    check_hosts(options_.machine);
    KernelRuns runs(options_, make_executor_, [this](Document& document, const std::vector<RunSpec>& plan) {
      check_hosts(document.machine);
      document.records<LimitRecord>() = probe_(core_counts());
      document.records<WorkRecord>() = works_of(plan);
    });
    return measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
  }

 private:
  /// One core, those of the runs, all.
  [[nodiscard]] std::vector<int> core_counts() const {
    const int all = usable_cores();
    std::vector<int> counts{1};
    for (const int tasks : options_.task_counts) counts.push_back(std::min(tasks * options_.threads, all));
    counts.push_back(all);
    return counts;
  }

  ExecutorFactory make_executor_;
  LimitsProbe probe_;
  RunOptions options_;
};

}  // namespace

CommandRow roofline_command(ExecutorFactory make_executor, LimitsProbe probe) {
  return {"roofline", "what kernels reach of the machine's limits, which are measured first",
          [make_executor, probe] { return std::make_unique<Roofline>(make_executor, probe); }, views, records};
}

}  // namespace nasvm
