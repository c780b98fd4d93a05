#include "harness/commands/peers/peers.hpp"

#include <array>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/peers/options.hpp"
#include "harness/commands/peers/plan.hpp"
#include "harness/commands/peers/record.hpp"
#include "harness/commands/peers/view.hpp"
#include "harness/document/machine_info.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/session/machines.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"peers", "", PeerRecord::section, peers_grids, peers_csv}};
constexpr std::array records{record_type<RunRecord>, record_type<PeerRecord>};

/// The machine of ours, which serves all sizes.
RunOptions machine_options(const PeersOptions& options) {
  RunOptions run;
  run.kernels = options.kernels;
  run.transports = options.transports;
  run.timeout_s = options.timeout_s;
  return run;
}

std::string size_name(const RunSpec& run) {
  return fmt::format("{} class {}, {} {}", run.kernel->name, run.problem.problem_class, run.np,
                     run.np == 1 ? "task" : "tasks");
}

/// All runs that options ask for, ours and the peers'.
class PeerRuns final : public Measurement {
 public:
  PeerRuns(const PeersOptions& options, ExecutorFactory make_executor, const PeerLauncher& launch)
      : options_(options),
        make_executor_(std::move(make_executor)),
        launch_(launch),
        plan_(make_peers_plan(options)) {
    check_memory(own_runs(plan_), available_memory_bytes());
  }

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const PeerStep& step : plan_) {
      names.push_back(fmt::format("{}, {}{}", size_name(step), step.is_peer() ? "peer" : step.transport,
                                  step.warmup ? " (warm-up)" : ""));
    }
    return names;
  }

  MachineRecord start() override {
    executor_ = make_executor_(machine_options(options_));
    return executor_->machine();
  }

  void carry_out(std::size_t position, Document& document, Progress& progress) override {
    const PeerStep& step = plan_[position];
    if (step.is_peer()) run_theirs(step, document, progress);
    else verified_ = run_once(*executor_, step, document, progress) && verified_;
  }

  void stop() override { executor_.reset(); }

  [[nodiscard]] Exit status() const override {
    if (!without_result_.empty()) return Exit::broken;
    return verified_ ? Exit::ok : Exit::failed;
  }

 private:
  using Size = std::tuple<const Kernel*, char, int>;

  void run_theirs(const PeerStep& step, Document& document, Progress& progress) {
    const Size size{step.kernel, step.problem.problem_class, step.np};
    if (without_result_.contains(size)) return;
    PeerRecord record = run_peer(launch_, step, milliseconds_of(options_.timeout_s));
    if (!record.failure.empty()) {
      progress.note(fmt::format("{}: no result of the peer {}: {}", size_name(step), step.program, record.failure));
      without_result_.insert(size);
    } else if (!record.verified) {
      progress.note(fmt::format("{}: the peer {} has not verified its result", size_name(step), step.program));
      verified_ = false;
    }
    if (!step.warmup || !record.failure.empty()) document.records<PeerRecord>().push_back(std::move(record));
  }

  const PeersOptions& options_;
  ExecutorFactory make_executor_;
  const PeerLauncher& launch_;
  std::vector<PeerStep> plan_;
  std::unique_ptr<Executor> executor_;
  std::set<Size> without_result_;  ///< of the peer
  bool verified_ = true;
};

class Peers final : public Command {
 public:
  Peers(ExecutorFactory make_executor, PeerLauncher launch)
      : make_executor_(std::move(make_executor)), launch_(std::move(launch)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    add_peers_options(line, options_, format_names(tables.formats, views));
    line.footer(
        "A peer is a program of Open MPI that prints the result block of the NAS reference codes, in a file named\n"
        "<kernel>.<CLASS>.x, as NASA's makefiles name it. The suite contains none.\n\n"
        "Example:\n  nasvm peers --bin ~/NPB3.4-MPI/bin --class A,B --np 1,2 --export-json peers.json");
  }

  Exit run(const Call& call) override {
    PeerRuns runs(options_, make_executor_, launch_);
    return measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
  }

 private:
  ExecutorFactory make_executor_;
  PeerLauncher launch_;
  PeersOptions options_;
};

}  // namespace

CommandRow peers_command(ExecutorFactory make_executor, PeerLauncher launch) {
  return {"peers", "our kernels beside other programs of the same work, such as NASA's",
          [make_executor, launch] { return std::make_unique<Peers>(make_executor, launch); }, views, records};
}

}  // namespace nasvm
