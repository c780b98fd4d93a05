#include "harness/commands/io/io.hpp"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/io/options.hpp"
#include "harness/commands/io/plan.hpp"
#include "harness/commands/io/views.hpp"
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
    right_ = right_ && report.wrong.empty();
    document.records<IoRecord>().push_back({.method = spec.method,
                                            .transport = options_.transport,
                                            .np = spec.np,
                                            .grid = options_.grid,
                                            .access_bytes = spec.access_bytes,
                                            .disk_cache_bytes = spec.disk_bytes,
                                            .preload = options_.preload,
                                            .sync = options_.sync,
                                            .repeat = spec.repeat,
                                            .file_bytes = report.file_bytes,
                                            .time = report.time,
                                            .cost = report.cost,
                                            .verified = report.wrong.empty(),
                                            .sampled = report.sampled});
  }

  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return right_ ? Exit::ok : Exit::failed; }

 private:
  static std::string step_name(const IoSpec& spec) {
    return fmt::format("io, {}, accesses of {} bytes, {}", counted(spec.np, "task"), spec.access_bytes, spec.method);
  }

  const IoOptions& options_;
  IoExecutorFactory make_executor_;
  std::vector<IoSpec> plan_;
  std::unique_ptr<IoExecutor> executor_;
  bool right_ = true;
};

class Io final : public Command {
 public:
  explicit Io(IoExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_io_options(line, options_, format_names(tables.formats, views));
    line.footer(
        "The file has the vertices of the elements of a grid, z fastest; columns of elements are dealt out to\n"
        "tasks. Sizes: 4k, 2M are powers of 1024.\n\n"
        "Example:\n  nasvm io --np 2,8 --grid 200 -t 32,6400 --disk 256M --dir /var/tmp --runs 9");
  }

  Exit run(const Call& call) override {
    IoRuns runs(options_, make_executor_);
    return measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
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
