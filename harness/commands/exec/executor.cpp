#include "harness/commands/exec/executor.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "harness/commands/exec/order.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/session/machines.hpp"
#include "vm/abi/launch/program_file.hpp"
#include "vm/abi/launch/streams.hpp"

namespace nasvm {
namespace {

/// One more task's share of each function.
void add_calls(std::vector<CallRecord>& all, const std::vector<CallRecord>& more, bool first) {
  for (const CallRecord& call : more) {
    auto found = std::ranges::find(all, call.function, &CallRecord::function);
    if (found == all.end()) {
      all.push_back({.function = call.function});
      found = std::prev(all.end());
      found->time_min_s = first ? call.time_s : 0;  // the tasks before did not call it
    }
    found->calls += call.calls;
    found->bytes += call.bytes;
    found->time_mean_s += call.time_s;
    found->time_s = std::max(found->time_s, call.time_s);
    found->time_min_s = std::min(found->time_min_s, call.time_s);
  }
  for (CallRecord& call : all) {
    if (std::ranges::find(more, call.function, &CallRecord::function) == more.end()) call.time_min_s = 0;
  }
}

void add_lengths(std::vector<LengthRecord>& all, const std::vector<LengthRecord>& more) {
  for (const LengthRecord& length : more) {
    const auto found = std::ranges::find(all, length.bytes, &LengthRecord::bytes);
    if (found == all.end()) all.push_back({.bytes = length.bytes, .messages = length.messages});
    else found->messages += length.messages;
  }
}

void add_task(RunRecord& run, TaskReport task, int rank) {
  task.communication.rank = rank;
  run.time_s = std::max(run.time_s, task.time_s);
  for (const auto& [name, method] : task.sent_by_method) {
    run.comm.by_method[name].bytes += method.bytes;
    run.comm.by_method[name].messages += method.messages;
  }
  std::ranges::copy(task.sent_to, std::back_inserter(run.comm.by_pair));
  run.comm.by_rank.push_back(std::move(task.communication));
}

ExecResult summarize(const std::vector<std::string>& reports, const std::string& program) {
  ExecResult result;
  result.run.verified = true;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].empty()) {
      throw RunError(program +
                     " has ended without calling MPI_Init and MPI_Finalize of our library: it is no MPI "
                     "program, or brings another MPI along");
    }
    ProgramReport report = program_report(reports[rank]);
    add_calls(result.calls, report.calls, rank == 0);
    add_lengths(result.lengths, report.lengths);
    add_task(result.run, std::move(report.task), static_cast<int>(rank));
  }
  for (CallRecord& call : result.calls) call.time_mean_s /= static_cast<double>(reports.size());
  std::ranges::sort(result.calls, std::ranges::greater{}, &CallRecord::time_mean_s);
  std::ranges::sort(result.lengths, {}, &LengthRecord::bytes);
  add_up(result.run.comm);
  return result;
}

class VmProgramExecutor final : public ProgramExecutor {
 public:
  explicit VmProgramExecutor(const ExecOptions& options)
      : program_(abi::find_program(options.program)),
        options_(options),
        machines_(checked(options, program_), options.transports, options.machine.vm),
        meter_(names_hosts(options.machine) ? nullptr : make_conditions_meter()) {}

  ExecResult run(const ExecSpec& spec) override {
    Machine::Program program;
    program.size = spec.np;
    program.bind = options_.bind;
    program.transport = spec.transport;
    program.timeout = milliseconds_of(options_.timeout_s);
    program.setup = order_text({.program = program_,
                                .arguments = options_.arguments,
                                .folder = std::filesystem::current_path(),
                                .variables = options_.variables,
                                .streams = streams_.path(),
                                .tags_output = options_.tags_output});
    (void)streams_.take_failure();
    if (meter_ != nullptr && !spec.warmup) meter_->begin(spec.np);
    ExecResult result = summarize(machines_.run(program), program_);
    if (meter_ != nullptr && !spec.warmup) result.run.sampled = meter_->end();
    return result;
  }

  MachineRecord machine() override { return machines_.record(); }
  int program_status() override { return streams_.take_failure(); }

 private:
  /// What would only come to light when tasks start is said first.
  static Machine::Options checked(const ExecOptions& options, const std::string& program) {
    if (!names_hosts(options.machine)) abi::check_program_file(program);
    (void)abi::library_folder();
    return machine_options(options.machine);
  }

  std::string program_;
  const ExecOptions& options_;
  abi::StreamHost streams_;
  Machines machines_;
  std::unique_ptr<ConditionsMeter> meter_;
};

}  // namespace

std::string short_name(const std::string& program) { return std::filesystem::path(program).filename(); }

std::unique_ptr<ProgramExecutor> make_program_executor(const ExecOptions& options) {
  return std::make_unique<VmProgramExecutor>(options);
}

}  // namespace nasvm
