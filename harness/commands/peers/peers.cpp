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
#include "harness/kernel_runs/kernel_runs.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/session/machines.hpp"
#include "vm/available.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"peers", "", PeerRecord::section, peers_grids, peers_csv, compared_runs}};
constexpr std::array records{record_type<RunRecord>, record_type<PeerRecord>};

/// What ours and the peer's have in common.
std::string size_name(const RunSpec& run) { return size_text(run.kernel->name, run.problem.problem_class, run.np); }

/// All runs that options ask for, ours and the peers'.
class PeerRuns final : public Measurement {
 public:
  PeerRuns(const PeersOptions& options, ExecutorFactory make_executor, const PeerLaunchers& launch,
           ConditionsMeterFactory make_meter)
      : options_(options),
        make_executor_(std::move(make_executor)),
        launch_(launch),
        make_meter_(std::move(make_meter)),
        plan_(make_peers_plan(options)),
        repeats_(options.runs) {
    check_spawning(own_runs(plan_));
    check_memory(own_runs(plan_), available_memory_bytes());
  }

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const PeerStep& step : plan_) names.push_back(step_name(step));
    return names;
  }

  MachineRecord start() override {
    if (make_meter_) meter_ = make_meter_();
    executor_ = make_executor_(own_options(options_));
    return executor_->machine();
  }

  void carry_out(std::size_t position, Document& document, Progress& progress) override {
    if (position == 0) note_farm(progress);
    const PeerStep& step = plan_[position];
    if (step.is_peer()) run_theirs(step, document, progress);
    else verified_ = run_once(*executor_, step, document, progress) && verified_;
  }

  /// Ours and theirs are compared, so they stand beside each other.
  std::vector<std::string> more_steps(Document& document, Progress& progress) override {
    const std::vector<TakenSample> samples = samples_of(document);
    const auto is_repeat_of = [](const Repeat& repeat, const PeerStep& step) {
      return !step.warmup && side_of(step) == repeat.side && size_name(step) == repeat.work;
    };
    return append_again(repeats_, samples, plan_, progress, is_repeat_of, step_name);
  }

  void judge(Document& document) override { repeats_.set_apart(samples_of(document)); }
  void stop() override { executor_.reset(); }

  [[nodiscard]] Exit status() const override {
    if (!without_result_.empty()) return Exit::broken;
    return verified_ ? Exit::ok : Exit::failed;
  }

 private:
  using Size = std::tuple<const Kernel*, char, int, std::string>;  ///< the last: over which of ours

  static std::string peer_side(PeerWay way, const std::string& transport) {
    return fmt::format("peer, {}{}{}", to_text(way), transport.empty() ? "" : " ", transport);
  }
  static std::string own_side(const std::string& variant, const std::string& transport) {
    return fmt::format("{}, {}", variant, transport);
  }
  static std::string side_of(const PeerStep& step) {
    return step.is_peer() ? peer_side(step.way, step.transport) : own_side(step.problem.variant, step.transport);
  }
  static std::string step_name(const PeerStep& step) {
    if (!step.is_peer()) return name_of(step);
    return fmt::format("{}, {}{}", size_name(step), side_of(step), step.warmup ? " (warm-up)" : "");
  }

  /// Ours, and those of theirs that gave a result.
  static std::vector<TakenSample> samples_of(Document& document) {
    std::vector<TakenSample> samples;
    for (RunRecord& run : document.records<RunRecord>()) {
      samples.push_back(
          {size_text(run.kernel, run.problem_class, run.np), own_side(run.variant, run.transport), {&run.sampled}});
    }
    for (PeerRecord& peer : document.records<PeerRecord>()) {
      if (!peer.failure.empty()) continue;
      samples.push_back({size_text(peer.kernel, peer.problem_class, peer.np),
                         peer_side(peer.way, peer.transport),
                         {&peer.sampled}});
    }
    return samples;
  }

  /// Its row stands beside another transport than was asked for.
  void note_farm(Progress& progress) const {
    const std::string remark = farm_remark(own_runs(plan_), options_.transports);
    if (!remark.empty()) progress.note(remark);
  }

  void run_theirs(const PeerStep& step, Document& document, Progress& progress) {
    const Size size{step.kernel, step.problem.problem_class, step.np, step.transport};
    if (without_result_.contains(size)) return;
    const auto run = [&] { return run_peer(launch_, step, milliseconds_of(options_.timeout_s)); };
    PeerRecord record = under_conditions(step.warmup ? nullptr : meter_.get(), step.np, run);
    if (!record.failure.empty()) {
      progress.note(fmt::format("{}: no result of the peer {}{}: {}", size_name(step), step.program,
                                step.transport.empty() ? "" : " over " + step.transport, record.failure));
      without_result_.insert(size);
    } else if (!record.verified) {
      progress.note(fmt::format("{}: the peer {} has not verified its result", size_name(step), step.program));
      verified_ = false;
    }
    if (!step.warmup || !record.failure.empty()) document.records<PeerRecord>().push_back(std::move(record));
  }

  const PeersOptions& options_;
  ExecutorFactory make_executor_;
  const PeerLaunchers& launch_;
  ConditionsMeterFactory make_meter_;
  std::vector<PeerStep> plan_;
  Repeats repeats_;
  std::unique_ptr<ConditionsMeter> meter_;  ///< of theirs; the executor has one of its own
  std::unique_ptr<Executor> executor_;
  std::set<Size> without_result_;  ///< of the peer
  bool verified_ = true;
};

class Peers final : public Command {
 public:
  Peers(ExecutorFactory make_executor, PeerLaunchers launch, ConditionsMeterFactory make_meter)
      : make_executor_(std::move(make_executor)), launch_(std::move(launch)), make_meter_(std::move(make_meter)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    add_peers_options(line, options_, format_names(tables.formats, views));
    line.footer(
        "A peer is a program of Open MPI that prints the result block of the NAS reference codes, in a file named\n"
        "<kernel>.<CLASS>.x, as NASA's makefiles name it. The suite contains none.\n\n"
        "Example:\n  nasvm peers --bin ~/NPB3.4-MPI/bin --class A,B --np 1,2 --export-json peers.json");
  }

  Exit run(const Call& call) override {
    PeerRuns runs(options_, make_executor_, launch_, make_meter_);
    return measure(runs, {views.front(), call.tables.formats, options_.output}, call.command_line, call.console);
  }

 private:
  ExecutorFactory make_executor_;
  PeerLaunchers launch_;
  ConditionsMeterFactory make_meter_;
  PeersOptions options_;
};

}  // namespace

CommandRow peers_command(ExecutorFactory make_executor, PeerLaunchers launch, ConditionsMeterFactory make_meter) {
  return {"peers", "our kernels beside other programs of the same work, such as NASA's",
          [make_executor, launch, make_meter] { return std::make_unique<Peers>(make_executor, launch, make_meter); },
          views, records};
}

}  // namespace nasvm
