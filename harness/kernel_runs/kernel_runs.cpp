#include "harness/kernel_runs/kernel_runs.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/kernel_runs/run_cases.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"
#include "vm/available.hpp"

namespace nasvm {
namespace {

/// Adds to what the executor found what only the plan knows.
void complete(RunRecord& record, const RunSpec& spec) {
  record.kernel = spec.kernel->name;
  record.problem_class = spec.problem.problem_class;
  record.np = spec.np;
  record.threads = spec.problem.threads;
  record.host_count = spec.hosts;
  record.transport = spec.transport;
  record.variant = spec.problem.variant;
  record.parameters.assign(spec.problem.parameters.begin(), spec.problem.parameters.end());
  if (!spec.multicast.empty()) record.parameters.emplace_back(multicast_parameter, spec.multicast);
  for (auto& parameter : parameters_of(spec.checkpoints)) record.parameters.push_back(std::move(parameter));
  if (spec.bind == Binding::none) record.parameters.emplace_back(bind_parameter, "none");
  record.repeat = spec.repeat;
  const bool has_speed = record.verified && record.time_s > 0;
  record.mops = has_speed ? mega_operations_done(*spec.kernel, spec.problem, record) / record.time_s : 0;
}

/// One line for people about a run that did not verify.
std::string failure_text(const RunSpec& spec, const RunRecord& record) {
  std::string text = name_of(spec) + ": verification failed";
  for (const auto& [name, value] : record.details) text += fmt::format("; {} {}", name, value);
  return text;
}

/// A farm bears the loss of workers, but its time tells of it.
void note_losses(const RunSpec& spec, const RunRecord& record, Progress& progress) {
  for (const auto& [name, value] : record.details) {
    if (name == workers_lost) progress.note(fmt::format("{}: {} {}", name_of(spec), workers_lost, value));
  }
}

/// What was asked for and is not there.
void note_missing_checkpoint(const RunSpec& spec, const RunRecord& record, Progress& progress) {
  const auto tells_of_some = [](const auto& detail) { return detail.first == checkpoints_written; };
  if (spec.checkpoints.save.empty() || std::ranges::any_of(record.details, tells_of_some)) return;
  progress.note(fmt::format("{}: no checkpoint was written: --every {} of {}, and there is none after the last",
                            name_of(spec), spec.checkpoints.every,
                            counted(iterations_done(*spec.kernel, spec.problem, record), "iteration")));
}

}  // namespace

bool run_once(Executor& executor, const RunSpec& spec, Document& document, Progress& progress) {
  RunRecord record = executor.run(spec);
  complete(record, spec);
  const bool right = record.verified;
  if (!right) progress.note(failure_text(spec, record));
  note_losses(spec, record, progress);
  if (right) note_missing_checkpoint(spec, record, progress);
  if (!spec.warmup) document.records<RunRecord>().push_back(std::move(record));
  return right;
}

std::string work_of(const RunSpec& spec) {
  RunRecord run;
  complete(run, spec);
  return name_of(run);
}

std::vector<TakenSample> samples_of_runs(Document& document) {
  std::vector<TakenSample> samples;
  for (RunRecord& run : document.records<RunRecord>()) {
    samples.push_back({name_of(run), run.transport, {&run.sampled}});
  }
  return samples;
}

KernelRuns::KernelRuns(const RunOptions& options, ExecutorFactory make_executor, AddFacts add_facts)
    : options_(options),
      make_executor_(std::move(make_executor)),
      add_facts_(std::move(add_facts)),
      plan_(make_plan(options)),
      repeats_(options.runs) {
  check_spawning(plan_);
  if (names_hosts(options.machine)) return;  // how much they have is not known yet
  check_threads(plan_, available_threads());
  check_memory(plan_, available_memory_bytes());
}

std::vector<std::string> KernelRuns::steps() const {
  std::vector<std::string> names;
  for (const RunSpec& spec : plan_) names.push_back(name_of(spec));
  return names;
}

MachineRecord KernelRuns::start() {
  executor_ = make_executor_(options_);
  return executor_->machine();
}

void KernelRuns::add_facts(Document& document) {
  if (add_facts_) add_facts_(document, plan_);
}

void KernelRuns::carry_out(std::size_t step, Document& document, Progress& progress) {
  if (const std::string remark = farm_remark(plan_, options_.transports); step == 0 && !remark.empty()) {
    progress.note(remark);
  }
  verified_ = run_once(*executor_, plan_[step], document, progress) && verified_;
}

std::vector<std::string> KernelRuns::more_steps(Document& document, Progress& progress) {
  const std::vector<TakenSample> samples = samples_of_runs(document);
  const auto is_repeat_of = [](const Repeat& repeat, const RunSpec& spec) {
    return !spec.warmup && spec.transport == repeat.side && work_of(spec) == repeat.work;
  };
  return append_again(repeats_, samples, plan_, progress, is_repeat_of,
                      [](const RunSpec& spec) { return name_of(spec); });
}

void KernelRuns::advise(const Source& source, Progress& progress) const {
  for (const Group& group : group_runs(std::span(&source, 1))) {
    for (const Case& one : group.cases) {
      const std::size_t count = outliers(one.all(&RunRecord::time_s)).size();
      if (count == 0) continue;
      progress.note(
          fmt::format("{}, {}: {} of {} times lie far from the others; "
                      "a quieter machine or more --runs would give a surer figure",
                      name_of(group), one.transport, count, one.records.size()));
    }
  }
}

}  // namespace nasvm
