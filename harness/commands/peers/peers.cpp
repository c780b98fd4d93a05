#include "harness/commands/peers/peers.hpp"

#include <cmath>
#include <exception>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/session/attempt.hpp"
#include "harness/document/build_info.hpp"
#include "harness/session/exports.hpp"
#include "harness/document/machine_info.hpp"
#include "harness/commands/peers/plan.hpp"
#include "harness/commands/peers/report/report.hpp"
#include "harness/session/progress.hpp"
#include "harness/kernel_runs/kernel_runs.hpp"

namespace nasvm {
namespace {

/// The machine of ours, which serves all sizes.
RunOptions machine_options(const PeersOptions& options) {
  RunOptions run;
  run.kernels = options.kernels;
  run.transports = options.transports;
  run.timeout_s = options.timeout_s;
  run.command = options.command;
  return run;
}

Exports open_exports(const PeersOptions& options) {
  return Exports({{options.export_json, render_json},
                  {options.export_csv, render_peers_csv},
                  {options.export_markdown, render_peers_markdown}});
}

std::string name_of(const RunSpec& run) {
  return fmt::format("{} class {}, {} {}", run.kernel->name, run.problem.problem_class, run.np,
                     run.np == 1 ? "task" : "tasks");
}

/// Carries out the plan; the results grow in `source`.
class Comparison {
 public:
  Comparison(Executor& executor, const PeerLauncher& launch, std::chrono::milliseconds timeout, Source& source,
             Progress& progress)
      : executor_(executor), launch_(launch), timeout_(timeout), document_(source.document), progress_(progress) {}

  void step(const PeerStep& step) { step.is_peer() ? run_theirs(step) : run_ours(step.run); }

  [[nodiscard]] Exit status() const {
    if (!without_result_.empty()) return Exit::broken;
    return verified_ ? Exit::ok : Exit::failed;
  }

 private:
  using Size = std::tuple<const Kernel*, char, int>;

  void run_ours(const RunSpec& spec) {
    RunRecord record = run_once(executor_, spec);
    if (!record.verified) progress_.note(failure_text(spec, record));
    verified_ = verified_ && record.verified;
    if (!spec.warmup) document_.runs.push_back(std::move(record));
  }

  void run_theirs(const PeerStep& step) {
    const Size size{step.run.kernel, step.run.problem.problem_class, step.run.np};
    if (without_result_.contains(size)) return;
    PeerRecord record = run_peer(launch_, step, timeout_);
    if (!record.failure.empty()) {
      progress_.note(
          fmt::format("{}: no result of the peer {}: {}", name_of(step.run), step.program, record.failure));
      without_result_.insert(size);
    } else if (!record.verified) {
      progress_.note(fmt::format("{}: the peer {} has not verified its result", name_of(step.run), step.program));
      verified_ = false;
    }
    if (!step.run.warmup || !record.failure.empty()) document_.peers.push_back(std::move(record));
  }

  Executor& executor_;
  const PeerLauncher& launch_;
  std::chrono::milliseconds timeout_;
  Document& document_;
  Progress& progress_;
  std::set<Size> without_result_;  ///< of the peer
  bool verified_ = true;
};

void show(Progress& progress, const PeerStep& step, std::size_t position, std::size_t total) {
  progress.show(fmt::format("{}, {}{}", name_of(step.run), step.is_peer() ? "peer" : step.run.transport,
                            step.run.warmup ? " (warm-up)" : ""),
                position, total);
}

}  // namespace

Exit peers(const PeersOptions& options, const ExecutorFactory& make_executor, const PeerLauncher& launch,
           const Console& console) {
  const std::vector<PeerStep> plan = make_peers_plan(options);
  check_memory(own_runs(plan), available_memory_bytes());
  Exports exports = open_exports(options);
  Progress progress(console);
  std::unique_ptr<Executor> executor = make_executor(machine_options(options));
  Source source{"", begin_document(options.command, executor->machine())};
  const std::span<const Source> sources(&source, 1);
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(std::ceil(options.timeout_s * 1000)));
  Comparison comparison(*executor, launch, timeout, source, progress);

  std::exception_ptr error;
  attempt(error, [&] {
    for (std::size_t i = 0; i < plan.size(); ++i) {
      show(progress, plan[i], i, plan.size());
      comparison.step(plan[i]);
      exports.update(sources);
    }
  });
  progress.clear();
  attempt(error, [&] { executor.reset(); });
  attempt(error, [&] { exports.finish(sources); });
  if (!error || !source.document.runs.empty()) {
    attempt(error, [&] { console.out(find_format(options.format, peers_formats())->render(sources)); });
  }
  if (error) std::rethrow_exception(error);
  return comparison.status();
}

}  // namespace nasvm
