#include "harness/commands/exec/exec.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/exec/view.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/kernel_runs/rank_view.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/view.hpp"
#include "harness/report/distinct.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/order.hpp"
#include "harness/session/plan.hpp"
#include "harness/session/repeats.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/abi/launch/program_task.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/machine.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"exec", "", CallRecord::section, exec_grids, run_csv, compared_runs},
                           View{"exec", "", CallRecord::section, exec_rank_grids, rank_csv, nullptr, by_rank_view},
                           View{"exec", "", CallRecord::section, call_grids, call_csv, nullptr, "calls"}};
constexpr std::array records{record_type<RunRecord>, record_type<CallRecord>, record_type<LengthRecord>};

/// All runs of a program that the options ask for.
class ProgramRuns final : public Measurement {
 public:
  ProgramRuns(const ExecOptions& options, ProgramExecutorFactory make_executor)
      : options_(options), make_executor_(std::move(make_executor)) {
    for (const int tasks : options.task_counts) {
      std::vector<ExecSpec> round;
      for (const std::string& transport : options.transports) round.push_back({.np = tasks, .transport = transport});
      append_repeats(plan_, round, options.warmup, options.runs);
    }
  }

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const ExecSpec& spec : plan_) names.push_back(name_of(spec));
    return names;
  }
  MachineRecord start() override {
    executor_ = make_executor_(options_);
    return executor_->machine();
  }
  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    const ExecSpec& spec = plan_[step];
    ExecResult result = run(step);
    verified_ = verified_ && result.run.verified;
    if (!result.run.verified) {
      progress.note(name_of(spec) + ": verification failed: no line of output has what --expect asks for");
    }
    if (spec.warmup) return;
    complete(result, spec);
    document.records<RunRecord>().push_back(std::move(result.run));
    std::ranges::move(result.calls, std::back_inserter(document.records<CallRecord>()));
    std::ranges::move(result.lengths, std::back_inserter(document.records<LengthRecord>()));
  }
  /// None is taken again: a program is started as often as was asked for.
  void judge(Document& document) override { Repeats(1).set_apart(samples_of_runs(document)); }
  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return verified_ ? Exit::ok : Exit::failed; }

 private:
  [[nodiscard]] std::string name_of(const ExecSpec& spec) const {
    return fmt::format("{}, {}, {}{}", short_name(options_.program), counted(spec.np, "task"), spec.transport,
                       spec.warmup ? " (warm-up)" : "");
  }

  /// Of a program that is run once the exit status is this program's too, as from any launcher. Of several runs the
  /// error says which it was.
  ExecResult run(std::size_t step) {
    try {
      return executor_->run(plan_[step]);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (plan_.size() > 1) {
        throw Error(error.exit_status(),
                    fmt::format("{}: {} ({})", name_of(plan_[step]), error.what(), place_of(step)));
      }
      const int status = executor_->program_status();
      if (status == 0 || error.exit_status() != Exit::broken) throw;
      throw Error(static_cast<Exit>(status), error.what());
    }
  }

  /// "run 2 of 6; 4 not begun"
  [[nodiscard]] std::string place_of(std::size_t step) const {
    const std::size_t left = plan_.size() - step - 1;
    return fmt::format("run {} of {}{}", step + 1, plan_.size(),
                       left == 0 ? "" : fmt::format("; {} not begun", left));
  }

  void complete(ExecResult& result, const ExecSpec& spec) const {
    RunRecord& run = result.run;
    run.kernel = short_name(options_.program);
    run.problem_class = no_class;
    run.np = spec.np;
    run.transport = spec.transport;
    run.repeat = spec.repeat;
    if (!options_.arguments.empty()) run.parameters.emplace_back("arguments", joined(options_.arguments, " "));
    if (!options_.settings.empty()) run.parameters.emplace_back("environment", joined(options_.settings, " "));
    if (options_.bind == Binding::none) run.parameters.emplace_back(bind_parameter, "none");
    if (!options_.by_rank) run.comm.by_pair.clear();
    const auto belongs = [&run](auto& record) {
      record.kernel = run.kernel;
      record.np = run.np;
      record.transport = run.transport;
      record.repeat = run.repeat;
    };
    std::ranges::for_each(result.calls, belongs);
    std::ranges::for_each(result.lengths, belongs);
  }

  const ExecOptions& options_;
  ProgramExecutorFactory make_executor_;
  std::vector<ExecSpec> plan_;
  std::unique_ptr<ProgramExecutor> executor_;
  bool verified_ = true;
};

/// The pieces between commas that have no backslash before them. A backslash stands for itself, but before a comma or
/// another one.
std::vector<std::string> variables_in(std::string_view list) {
  std::vector<std::string> all;
  std::string one;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool is_escaped = list[i] == '\\' && i + 1 < list.size() && (list[i + 1] == ',' || list[i + 1] == '\\');
    if (list[i] == ',') all.push_back(std::exchange(one, {}));
    else one += list[is_escaped ? ++i : i];
  }
  all.push_back(std::move(one));
  std::erase(all, "");
  return all;
}

/// Standard output is the program's.
void check_files(const OutputOptions& output, const std::string& table_file) {
  if (table_file == "-") throw UsageError("--table -: standard output is the program's; name a file");
  for (const std::string& path : {output.export_json, output.export_csv, output.export_markdown}) {
    if (path == "-") throw UsageError("an export to -: standard output is the program's; name a file");
  }
  check_different({table_file, output.export_json, output.export_csv, output.export_markdown});
}

void check_expression(const std::string& text) {
  const std::string why_not = abi::why_no_expression(text);
  if (!why_not.empty()) throw UsageError("--expect " + text + ": this is no regular expression: " + why_not);
}

/// "NAME=value", or NAME with the value that it has here.
std::string variable_of(const std::string& text) {
  if (text.starts_with('=')) {
    throw UsageError(fmt::format("-x {}: a variable has a name; give it as NAME{}", text, text));
  }
  if (text.find('=') != std::string::npos) return text;
  const char* value = std::getenv(text.c_str());
  if (value == nullptr)
    throw UsageError("-x " + text + ": there is no such variable here; give it as " + text + "=VALUE");
  return text + "=" + value;
}

/// A program that is named by a path is looked for from there.
void go_to_folder(ExecOptions& options) {
  const std::string folder = whole_path(options.folder);
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw UsageError(
        fmt::format("--folder {}: there is no such folder; name one that all hosts have", options.folder));
  }
  options.folder = folder;
  if (options.program.find('/') != std::string::npos) {
    options.program = (std::filesystem::path(folder) / options.program).string();
  }
}

/// All that a task is told of what the user has typed.
void check_texts(const ExecOptions& options) {
  check_order_text("PROGRAM", options.program);
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    check_order_text(fmt::format("argument {} of {}", i + 1, options.program), options.arguments[i]);
  }
  for (const std::string& variable : options.variables) check_order_text("-x", variable);
  check_order_text("--expect", options.expected);
}

class Exec final : public Command {
 public:
  explicit Exec(ProgramExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    line.program({"PROGRAM", "", "the program; what follows are its arguments, options too"}, words_);
    add_parsed(line, {"-n,--np", "LIST", fmt::format("numbers of tasks, such as 1,2,8; 1 to {}", max_tasks)},
               fmt::format("{}", fmt::join(options_.task_counts, ",")), [this](const std::string& list) {
                 options_.task_counts = distinct(split(list, ','), [](const std::string& text) {
                   return parse_count("--np", text, 1, max_tasks);
                 });
               });
    add_parsed(line,
               {"--transport", "LIST",
                fmt::format("{} or auto; a comma: measure each; a plus: one order of preference",
                            joined(transport_names()))},
               joined(options_.transports, ","),
               [this](const std::string& text) { options_.transports = parse_transports(text); });
    add_runs_option(line, options_.runs, "measured runs over each transport");
    add_warmup_option(line, options_.warmup);
    line.option({"-x", "LIST",
                 R"(environment for the program: NAME or NAME=VALUE, separated by commas (in a value: \, and \\))"},
                variables_);
    line.option({"--folder", "DIR", "the program runs in this folder, not in the one from which it is started"},
                options_.folder);
    line.option({"--expect", "REGEX", "a run is verified when a line of the program's output has this, too"},
                options_.expected);
    line.flag({"--tag-output", "", "\"[rank] \" in front of each line of the program's output"},
              options_.tags_output);
    line.option({"--table", "FILE", "the table goes to this file, not to standard error"}, options_.table_file);
    line.flag({"--quiet", "", "no table on standard error"}, options_.quiet);
    add_binding_option(line, options_.bind, "core: each task to a core of its own where there are enough; none");
    add_timeout_option(line, options_.timeout_s);
    add_machine_options(line, options_.machine);
    line.afterwards([this] { check_files(options_.output, options_.table_file); });
    add_output_options(line, options_.output, format_names(tables.formats, views));
    add_view_options(line, view_, view_names(views));
    line.afterwards([this] { take_words(); });
    line.footer(
        "Runs a program that is built for Open MPI, unmodified, over our transports (docs/mpi.md).\n\nExample:\n  "
        "nasvm exec --np 8 --transport daemon,direct,shm -- ./program --size 10");
  }

  Exit run(const Call& call) override {
    ProgramRuns runs(options_, make_executor_);
    const View& view = *std::ranges::find(views, view_, &View::name);
    // Standard output is the program's, and a bar would stand between its lines.
    Console console = call.console;
    console.err_is_terminal = false;
    console.out_columns = options_.table_file.empty() ? call.console.err_columns : 0;
    std::string table;
    console.out = [&](std::string_view text) { table += text; };
    std::optional<OutputFile> file;
    if (!options_.table_file.empty()) file.emplace(options_.table_file);
    const auto show = [&] {
      // A table of an earlier run stays until there is a new one.
      if (table.empty()) return;
      if (file) file->rewrite(table);
      else if (!options_.quiet) call.console.err(table);
    };
    Exit status = Exit::ok;
    std::exception_ptr error;
    attempt(error, [&] {
      status = measure(runs, {view, call.tables.formats, options_.output}, call.command_line, console);
    });
    attempt(error, show);
    if (error) std::rethrow_exception(error);
    return status;
  }

 private:
  void take_words() {
    options_.by_rank = view_ == by_rank_view;
    options_.program = words_.front();
    options_.arguments.assign(words_.begin() + 1, words_.end());
    if (!options_.folder.empty()) go_to_folder(options_);
    for (const std::string& one : variables_in(variables_)) {
      options_.variables.push_back(variable_of(one));
      const bool had_value = one == options_.variables.back();
      if (had_value) options_.settings.push_back(one);
    }
    check_texts(options_);
    check_expression(options_.expected);
  }

  ProgramExecutorFactory make_executor_;
  ExecOptions options_;
  std::vector<std::string> words_;
  std::string variables_;
  std::string view_;  ///< by its name
};

}  // namespace

CommandRow exec_command(ProgramExecutorFactory make_executor) {
  return {"exec", "run any MPI program over transports and print what each cost",
          [make_executor] { return std::make_unique<Exec>(make_executor); }, views, records};
}

}  // namespace nasvm
