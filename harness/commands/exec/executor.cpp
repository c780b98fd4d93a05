#include "harness/commands/exec/executor.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/exec/order.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "harness/session/machines.hpp"
#include "harness/session/order.hpp"
#include "harness/text.hpp"
#include "vm/abi/launch/program_file.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

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
  add_by_name(run.comm.by_method, task.sent_by_method);
  add_by_name(run.comm.broadcasts, task.broadcasts);
  std::ranges::copy(task.sent_to, std::back_inserter(run.comm.by_pair));
  run.comm.by_rank.push_back(std::move(task.communication));
}

std::string stranger_text(const std::string& program) {
  return program +
         " has called neither MPI_Init of our library nor do_nio: it is another program, or brings another MPI along";
}

/// Tasks that have left in good order and said nothing know nothing of MPI (do_nio): of theirs there is the time
/// `elapsed_s` that the console has waited for them.
ExecResult summarize(const std::vector<std::string>& reports, const std::string& program, double elapsed_s) {
  ExecResult result;
  result.run.verified = true;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].empty()) continue;
    std::optional<ProgramReport> found = program_report(reports[rank]);
    if (!found) {
      throw RunError(program +
                     " is a program of tasks that report to a console of their own: start it as that, not by nasvm "
                     "exec (docs/tasks.md)");
    }
    ProgramReport& report = *found;
    add_calls(result.calls, report.calls, result.run.comm.by_rank.empty());
    add_lengths(result.lengths, report.lengths);
    keep_most(report.task.sent_to, most_peers_named(static_cast<int>(reports.size())));
    add_task(result.run, std::move(report.task), static_cast<int>(rank));
  }
  if (result.run.comm.by_rank.empty()) result.run.time_s = elapsed_s;
  for (CallRecord& call : result.calls) call.time_mean_s /= static_cast<double>(reports.size());
  std::ranges::sort(result.calls, std::ranges::greater{}, &CallRecord::time_mean_s);
  std::ranges::sort(result.lengths, {}, &LengthRecord::bytes);
  add_up(result.run.comm);
  return result;
}

/// What a shell has of a program that wanted to end with this: the last eight bits, and a failure where they are 0.
int shell_status(int wanted) {
  const int status = wanted & 0xff;
  return status != 0 || wanted == 0 ? status : static_cast<int>(Exit::failed);
}

/// The exit status, as a shell has it, of the task that the line about a failed run names; 0: it names none. The
/// task's own word of it may come too late.
int status_said_in(std::string_view line) {
  struct Saying {
    std::string_view words;
    int base;
  };
  for (const auto& [words, base] : {Saying{"MPI_Abort with code ", 0}, Saying{"has ended with status ", 0},
                                    Saying{" exited with status ", 0}, Saying{" was killed by signal ", 128}}) {
    const auto at = line.find(words);
    if (at == std::string_view::npos) continue;
    int number = 0;
    const std::string_view digits = line.substr(at + words.size());
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number == 0 ? 0 : base + shell_status(number);
  }
  return 0;
}

/// What a daemon says of a task that ends by itself, in words of our own interface.
constexpr std::string_view early_end = " without Task::finish or depart";

/// For the last words of programs on other hosts.
constexpr std::chrono::milliseconds rest_patience{3000};
/// For tasks to say where they are when their time is up.
constexpr std::chrono::milliseconds last_words_patience{2000};

/// "rank 0 waits in MPI_Recv for rank 1; rank 1 computes"; of many ranks, the first.
std::string where_all_are(const std::map<int, std::string>& waits) {
  constexpr std::size_t most = 16;
  std::string text;
  std::size_t told = 0;
  for (const auto& [rank, where] : waits) {
    if (told++ == most) return text + fmt::format("; and {} more", waits.size() - most);
    text += fmt::format("{}rank {} {}", text.empty() ? "" : "; ", rank, where);
  }
  return text;
}

class VmProgramExecutor final : public ProgramExecutor {
 public:
  explicit VmProgramExecutor(const ExecOptions& options)
      : folder_(options.folder.empty() ? working_folder() : options.folder),
        program_(abi::find_program(options.program)),
        options_(options),
        streams_({}, options.planned_runs() > 1 ? abi::Programs::several : abi::Programs::one),
        machines_(machine_for(options, program_), options.transports, options.machine.vm),
        meter_(options.is_shown() ? machines_.conditions_meter(options.machine) : nullptr) {}

  ExecResult run(const ExecSpec& spec) override {
    const auto run = [&] { return carry_out(program_for(spec)).run; };
    RunRecord record = under_conditions(spec.warmup ? nullptr : meter_.get(), spec.np, run);
    last_.run = std::move(record);
    return std::move(last_);
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_ && options_.is_shown()) record.no_conditions = other_computers;
    return record;
  }
  int program_status() override { return told_.failure; }

 private:
  /// What would only come to light when tasks start is said first.
  Machine::Options machine_for(const ExecOptions& options, const std::string& program) {
    abi::check_program_file(program);
    check_order_text("the program's path", program);
    check_order_text("the working folder", folder_);
    (void)abi::library_path();
    for (const std::string& transport : options.transports) {
      if (const auto system = system_of(transport)) {
        throw UsageError(fmt::format("--transport {}: programs run over {}; {} starts its programs by itself",
                                     transport, joined(transport_names()), system->row->name));
      }
    }
    Machine::Options machine = machine_options(options.machine);
    machine.on_remark = [this](const std::string& line) { streams_.hear_remark(line); };
    return machine;
  }

  [[nodiscard]] Machine::Program program_for(const ExecSpec& spec) const {
    using std::chrono::system_clock;
    const auto time = milliseconds_of(options_.timeout_s);
    Machine::Program program;
    program.size = spec.np;
    program.bind = options_.bind;
    program.transport = spec.transport;
    limit_time(program, time + last_words_patience);
    program.setup = order_text({.program = program_,
                                .arguments = options_.arguments,
                                .folder = folder_,
                                .variables = options_.variables,
                                .streams = streams_.name(),
                                .expected = options_.expected,
                                .tags_output = options_.tags_output,
                                .times_calls = options_.is_shown(),
                                .time = time,
                                .until = has_turns() ? system_clock::time_point::max() : system_clock::now() + time});
    return program;
  }

  /// The time of a run on a kept machine begins when others have let it begin.
  [[nodiscard]] bool has_turns() const { return options_.machine.vm.has_value(); }

  ExecResult& carry_out(const Machine::Program& program) {
    if (streams_.has_lost_input()) {
      throw RunError(
          fmt::format("what comes by the pipe of standard input is longer than the {} MiB that are kept for further "
                      "runs: write it to a file, and give that (<FILE)",
                      abi::RepeatedPipe::most_kept >> 20U));
    }
    streams_.end_lines();  // of the run before
    try {
      const Ticks begin = ticks_now();
      const std::vector<std::string> reports = machines_.run(program);
      const double elapsed_s = to_seconds(ticks_now() - begin);
      hear_out(program.size);
      told_ = streams_.take();
      check_output();
      // A task that has said where it is was late, even if it has ended since. By clocks that do not agree it may
      // have said so too soon.
      if (!told_.waits.empty() && elapsed_s >= options_.timeout_s) throw RunError(late_text({}));
      last_ = summarize(reports, program_, elapsed_s);
    } catch (const Interrupted&) {
      streams_.end_lines();
      throw;
    } catch (const Error& error) {
      told_ = streams_.take();
      streams_.end_lines();
      explain(error, program.timeout);
    }
    last_.run.verified = options_.expected.empty() || told_.expected;
    if (has_table_on_error() || !last_.run.verified) streams_.end_lines();
    return last_;
  }

  [[nodiscard]] bool has_table_on_error() const { return !options_.quiet && options_.table_file.empty(); }

  /// Words of other hosts travel beside the machine's messages, and may come later than these.
  void hear_out(int tasks) {
    const auto deadline = std::chrono::steady_clock::now() + rest_patience;
    while (!has_turns() && streams_.ended() < tasks && std::chrono::steady_clock::now() < deadline) {
      machines_.idle(std::chrono::milliseconds(20));
    }
  }

  void check_output() const {
    if (!told_.refused.empty()) throw RunError("the program's output cannot be written: " + told_.refused);
  }

  /// With what the tasks have told.
  [[noreturn]] void explain(const Error& error, std::chrono::milliseconds timeout) {
    check_output();
    if (const int status = status_said_in(error.what()); status != 0) told_.failure = status;
    std::string said = error.what();
    const auto end = said.find(early_end);
    if (told_.stranger && told_.failure == 0 && error.exit_status() == Exit::broken) {
      if (end != std::string::npos) said.erase(end, early_end.size());
      throw RunError(fmt::format("{}; {}", said, stranger_text(program_)));
    }
    if (end != std::string::npos && told_.early) {
      throw RunError(said.replace(end, early_end.size(), " without MPI_Finalize"));
    }
    const std::string overdue = overdue_text(timeout, timeout_option);
    const auto at = said.find(overdue);
    if (at == std::string::npos) throw;
    throw RunError(late_text(said.substr(at + overdue.size())));
  }

  /// Tasks by do_nio know nothing of MPI: of these there is what the machine knows of where they are, if anything.
  [[nodiscard]] std::string late_text(const std::string& known_to_machine) const {
    const std::string text = overdue_text(milliseconds_of(options_.timeout_s), timeout_option);
    const auto is_in_mpi = [](const auto& wait) { return abi::has_joined_mpi(wait.second); };
    if (std::ranges::any_of(told_.waits, is_in_mpi)) return text + ": " + where_all_are(told_.waits);
    if (!known_to_machine.empty() || told_.waits.empty()) return text + known_to_machine;
    return text + ": no task has come out of MPI_Init, or all are tasks by do_nio and compute";
  }

  std::string folder_;  ///< in which programs run
  std::string program_;
  const ExecOptions& options_;
  abi::StreamHost streams_;
  Machines machines_;
  std::unique_ptr<ConditionsMeter> meter_;
  abi::Told told_;   ///< in the last run
  ExecResult last_;  ///< of that run
};

}  // namespace

std::string short_name(const std::string& program) { return std::filesystem::path(program).filename(); }

std::unique_ptr<ProgramExecutor> make_program_executor(const ExecOptions& options) {
  return std::make_unique<VmProgramExecutor>(options);
}

}  // namespace nasvm
