#include "harness/commands/io/io.hpp"

#include <array>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/options.hpp"
#include "harness/commands/io/paper/report.hpp"
#include "harness/commands/io/pattern.hpp"
#include "harness/commands/io/plan.hpp"
#include "harness/commands/io/views.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/repeats.hpp"
#include "harness/session/results_folder.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"io", "", IoRecord::section, io_grids, io_csv, compared_io}};
constexpr std::array records{record_type<IoRecord>};

/// All runs that options ask for. What was read wrong fails the measurement, and the other runs still go on.
class IoRuns final : public Measurement {
 public:
  IoRuns(const IoOptions& options, IoExecutorFactory make_executor)
      : options_(options), make_executor_(std::move(make_executor)), plan_(make_io_plan(options)) {}

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const IoSpec& spec : plan_) names.push_back(step_name(spec));
    return names;
  }

  MachineRecord start() override {
    executor_ = make_executor_(options_);
    return executor_->machine();
  }

  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    const IoSpec& spec = plan_[step];
    const IoReport report = executor_->run(spec);
    if (!report.wrong.empty()) progress.note(fmt::format("{}: read wrong: {}", step_name(spec), report.wrong));
    const bool has_grid = io_pattern(spec.pattern).has_grid;
    right_ = right_ && report.wrong.empty();
    document.records<IoRecord>().push_back({.method = spec.method,
                                            .transport = transport_of(spec),
                                            .np = spec.np,
                                            .pattern = spec.pattern,
                                            .grid = has_grid ? spec.grid : 0,
                                            .block_bytes = has_grid ? 0 : options_.block_bytes,
                                            .access_bytes = spec.access_bytes,
                                            .disk_cache_bytes = spec.disk_bytes,
                                            .data_cache_bytes = spec.data_bytes,
                                            .preload = spec.preload,
                                            .sync = options_.sync,
                                            .table = spec.table,
                                            .folder = options_.names_folder ? options_.folder : "",
                                            .cold = options_.drop_cache,
                                            .kept_bytes = report.kept_bytes,
                                            .repeat = spec.repeat,
                                            .file_bytes = report.file_bytes,
                                            .time = report.time,
                                            .cost = report.cost,
                                            .communication_s = report.communication_s,
                                            .idle_s = report.idle_s,
                                            .verified = report.wrong.empty(),
                                            .sampled = report.sampled});
  }

  /// None is taken again.
  void judge(Document& document) override {
    std::vector<TakenSample> samples;
    for (IoRecord& record : document.records<IoRecord>()) {
      samples.push_back({work_of(record), side_of(record), {&record.sampled}});
    }
    Repeats(1).set_apart(samples);
    measured_ = document;
  }

  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return right_ ? Exit::ok : Exit::failed; }

  /// Everything, once it is judged.
  [[nodiscard]] const Document& measured() const { return measured_; }

 private:
  static std::string step_name(const IoSpec& spec) {
    return fmt::format("io {}, {}, accesses of {} bytes, {}", spec.pattern, counted(spec.np, "task"),
                       spec.access_bytes, spec.method);
  }
  /// What methods, and sizes of the file cache, are compared in.
  static std::string work_of(const IoRecord& record) {
    return fmt::format("{} {} {} {} {}", record.table, record.pattern, record.np, record.grid, record.access_bytes);
  }
  static std::string side_of(const IoRecord& record) {
    return fmt::format("{} {} {}", record.method, record.disk_cache_bytes, record.preload);
  }
  [[nodiscard]] std::string transport_of(const IoSpec& spec) const {
    const std::string_view system = io_method(spec.method).system;
    return system.empty() ? options_.transport : std::string(system);
  }

  const IoOptions& options_;
  IoExecutorFactory make_executor_;
  std::vector<IoSpec> plan_;
  std::unique_ptr<IoExecutor> executor_;
  Document measured_;
  bool right_ = true;
};

std::string description_of_patterns() {
  std::string text = "Patterns:\n";
  for (const IoPatternRow& row : io_patterns()) text += fmt::format("  {:10} {}\n", row.name, row.description);
  return text;
}

class Io final : public Command {
 public:
  explicit Io(IoExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_io_options(line, options_, format_names(tables.formats, views));
    line.footer(description_of_patterns() +
                "\nSizes: 4k, 2M, 1G are powers of 1024.\n\n"
                "Examples:\n  nasvm io --np 2,8 --grid 200 -t 32,6400 --disk 256M --dir /var/tmp --runs 9\n"
                "  nasvm io --pattern random,strided -b 32M -t 32,64k --np 8 --drop-cache\n"
                "  nasvm io --report tables --dir /var/tmp --runs 5");
  }

  Exit run(const Call& call) override {
    std::error_code error_of_space;
    const std::filesystem::space_info space = std::filesystem::space(options_.folder, error_of_space);
    if (!error_of_space) check_space(options_, space);
    std::optional<ResultsFolder> folder;
    if (!options_.report.empty()) folder.emplace("--report", options_.report);
    IoRuns runs(options_, make_executor_);
    std::exception_ptr error;
    Exit status = Exit::ok;
    attempt(error, [&] {
      status = measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
    });
    if (!options_.report.empty() && runs.measured().has_results()) {
      attempt(error, [&] { write_paper_report(options_.report, runs.measured()); });
    }
    if (error) std::rethrow_exception(error);
    return status;
  }

 private:
  IoExecutorFactory make_executor_;
  IoOptions options_;
};

}  // namespace

CommandRow io_command(IoExecutorFactory make_executor) {
  return {"io", "a file that all tasks share, in small pieces, per method",
          [make_executor] { return std::make_unique<Io>(make_executor); }, views, records};
}

}  // namespace nasvm
