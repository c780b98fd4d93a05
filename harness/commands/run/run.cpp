#include "harness/commands/run/run.hpp"

#include <algorithm>
#include <array>

#include "harness/cli/groups.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/kernel_runs/rank_view.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/scaling_view.hpp"
#include "harness/kernel_runs/view.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"run", "", RunRecord::section, run_grids, run_csv, compared_runs},
                           View{"run", "", RunRecord::section, scaling_grids, scaling_csv, nullptr, "scaling"},
                           View{"run", "", RunRecord::section, rank_grids, rank_csv, nullptr, by_rank_view}};
constexpr std::array records{record_type<RunRecord>};

class Run final : public Command {
 public:
  explicit Run(ExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_run_options(line, options_, format_names(tables.formats, views));
    add_hosts_option(line, options_);
    add_checkpoint_options(line, options_);
    add_view_options(line, view_, view_names(views));
    line.afterwards([this] { options_.by_rank = view_ == by_rank_view; });
    line.footer(
        "Parameters of transports (direct:spin=0+daemon):\n" + describe_parameters() + describe_system_parameters() +
        "\nExample:\n  nasvm run ft mg --class A --np 8 --transport daemon,direct --runs 5 --export-json "
        "a.json\n  nasvm run cg --class A --hostfile hosts --np 1,2,4,8 --hosts 1,2,4 --export-svg scaling.svg");
  }

  Exit run(const Call& call) override {
    KernelRuns runs(options_, make_executor_);
    const View& view = *std::ranges::find(views, view_, &View::name);
    return measure(runs, {view, call.tables.formats, options_.output}, call.command_line, call.console);
  }

 private:
  ExecutorFactory make_executor_;
  RunOptions options_;
  std::string view_;  ///< by its name
};

}  // namespace

CommandRow run_command(ExecutorFactory make_executor) {
  return {"run", "run kernels over transports and print what each cost",
          [make_executor] { return std::make_unique<Run>(make_executor); }, views, records};
}

}  // namespace nasvm
