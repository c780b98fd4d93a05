#include "harness/commands/run/run.hpp"

#include "harness/report/formats.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"

namespace nasvm {

Exit run(const RunOptions& options, const ExecutorFactory& make_executor, const Console& console) {
  return run_all(options, make_executor, console,
                 {find_format(options.format)->render, render_json, render_csv, render_markdown});
}

}  // namespace nasvm
