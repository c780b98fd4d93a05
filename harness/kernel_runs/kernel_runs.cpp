#include "harness/kernel_runs/kernel_runs.hpp"

#include <exception>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/session/attempt.hpp"
#include "harness/document/build_info.hpp"
#include "harness/document/machine_info.hpp"
#include "harness/statistics.hpp"

namespace nasvm {
namespace {

/// Adds to what the executor found what only the plan knows.
void complete(RunRecord& record, const RunSpec& spec) {
  record.kernel = spec.kernel->name;
  record.problem_class = spec.problem.problem_class;
  record.np = spec.np;
  record.threads = spec.problem.threads;
  record.transport = spec.transport;
  record.variant = spec.problem.variant;
  record.repeat = spec.repeat;
  const bool has_speed = record.verified && record.time_s > 0;
  record.mops = has_speed ? spec.kernel->mega_operations(spec.problem) / record.time_s : 0;
}

void warn_of_outliers(const Source& source, Progress& progress) {
  for (const Group& group : group_runs(std::span(&source, 1))) {
    for (const Case& one : group.cases) {
      const std::size_t count = outliers(one.times()).size();
      if (count == 0) continue;
      progress.note(
          fmt::format("{}, {}: {} of {} times lie far from the others; "
                      "a quieter machine or more --runs would give a surer figure",
                      group.name(), one.transport, count, one.runs.size()));
    }
  }
}

}  // namespace

RunRecord run_once(Executor& executor, const RunSpec& spec) {
  RunRecord record = executor.run(spec);
  complete(record, spec);
  return record;
}

std::string failure_text(const RunSpec& spec, const RunRecord& record) {
  std::string text =
      fmt::format("{} class {}, {} tasks, {}{}: verification failed", spec.kernel->name, spec.problem.problem_class,
                  spec.np, spec.transport, spec.warmup ? " (warm-up)" : "");
  for (const auto& [name, value] : record.details) text += fmt::format("; {} {}", name, value);
  return text;
}

bool carry_out(const std::vector<RunSpec>& plan, Executor& executor, Source& source, Exports& exports,
               Progress& progress) {
  bool verified = true;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    progress.show(plan[i], i, plan.size());
    RunRecord record = run_once(executor, plan[i]);
    if (!record.verified) progress.note(failure_text(plan[i], record));
    verified = verified && record.verified;
    if (plan[i].warmup) continue;
    source.document.runs.push_back(std::move(record));
    exports.update(std::span(&source, 1));
  }
  return verified;
}

Exit run_all(const RunOptions& options, const ExecutorFactory& make_executor, const Console& console,
             const Views& views, const std::function<void(Document&)>& add_facts) {
  const std::vector<RunSpec> plan = make_plan(options);
  if (options.hostfile.empty()) check_threads(plan, available_threads());
  check_memory(plan, available_memory_bytes());
  Exports exports({{options.export_json, views.json},
                   {options.export_csv, views.csv},
                   {options.export_markdown, views.markdown}});
  Progress progress(console);
  std::unique_ptr<Executor> executor = make_executor(options);
  Source source{"", begin_document(options.command, executor->machine())};
  const std::span<const Source> sources(&source, 1);
  if (add_facts) add_facts(source.document);

  bool verified = true;
  std::exception_ptr error;
  attempt(error, [&] { verified = carry_out(plan, *executor, source, exports, progress); });
  progress.clear();
  attempt(error, [&] { executor.reset(); });
  attempt(error, [&] { exports.finish(sources); });
  if (!error || !source.document.runs.empty()) {
    attempt(error, [&] { console.out(views.print(sources)); });
  }
  if (error) std::rethrow_exception(error);
  warn_of_outliers(source, progress);
  return verified ? Exit::ok : Exit::failed;
}

}  // namespace nasvm
