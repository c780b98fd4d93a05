#include "harness/commands/roofline/roofline.hpp"

#include <algorithm>
#include <array>

#include "harness/document/machine_info.hpp"
#include "harness/kernel_runs/plan.hpp"
#include "harness/commands/roofline/report/report.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"

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

}  // namespace

Exit roofline(const RooflineOptions& options, const ExecutorFactory& make_executor, const LimitsProbe& probe,
              const Console& console) {
  const auto render = [](std::string_view format) { return find_format(format, roofline_formats())->render; };
  const Views views{render(options.run.format), render("json"), render("csv"), render("markdown")};
  const auto add_limits = [&](Document& document) {
    const int all = local_host().cores;
    const std::array counts{1, std::min(options.run.np * options.run.threads, all), all};
    document.limits = probe(counts);
    document.works = works_of(make_plan(options.run));
  };
  return run_all(options.run, make_executor, console, views, add_limits);
}

}  // namespace nasvm
