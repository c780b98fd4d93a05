#include "harness/run.hpp"

#include "harness/report/report.hpp"
#include "harness/runs.hpp"

namespace nasvm {

Exit run(const RunOptions& options, const ExecutorFactory& make_executor, const Console& console) {
  return run_all(options, make_executor, console,
                 {find_format(options.format)->render, render_json, render_csv, render_markdown});
}

}  // namespace nasvm
