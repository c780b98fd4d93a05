#include "harness/commands/run/run.hpp"

#include <array>

#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/view.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"run", "", RunRecord::section, run_grids, run_csv, compared_runs}};
constexpr std::array records{record_type<RunRecord>};

class Run final : public Command {
 public:
  explicit Run(ExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_run_options(line, options_, format_names(tables.formats, views));
    line.footer("Parameters of transports (direct:spin=0+daemon):\n" + describe_parameters() +
                describe_system_parameters() +
                "\nExample:\n  nasvm run ft mg --class A --np 8 --transport daemon,direct --runs 5 --export-json "
                "a.json");
  }

  Exit run(const Call& call) override {
    KernelRuns runs(options_, make_executor_);
    return measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
  }

 private:
  ExecutorFactory make_executor_;
  RunOptions options_;
};

}  // namespace

CommandRow run_command(ExecutorFactory make_executor) {
  return {"run", "run kernels over transports and print what each cost",
          [make_executor] { return std::make_unique<Run>(make_executor); }, views, records};
}

}  // namespace nasvm
