#include "harness/commands/peers/plan.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

std::string file_name(const Kernel& kernel, char problem_class) {
  return fmt::format("{}.{}.x", kernel.name, problem_class);
}

/// Says everything that is missing before anything is measured.
void check_programs(const PeersOptions& options) {
  const std::filesystem::path folder = options.folder;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw UsageError(
        fmt::format("--bin {}: no such folder; expected the one with programs such as ft.A.x", options.folder));
  }
  std::vector<std::string> missing;
  for (const char problem_class : options.classes) {
    for (const Kernel* kernel : options.kernels) {
      const std::string name = file_name(*kernel, problem_class);
      if (::access((folder / name).c_str(), X_OK) != 0) missing.push_back(name);
    }
  }
  if (missing.empty()) return;
  throw UsageError(
      fmt::format("--bin {}: no program {} there; build it, or name the kernels and classes that are there",
                  options.folder, joined(missing)));
}

/// The steps of one kernel at one size.
class Cell {
 public:
  Cell(const PeersOptions& options, const Kernel& kernel, char problem_class, int tasks) {
    PeerStep step;
    step.run.kernel = &kernel;
    step.run.problem.problem_class = problem_class;
    step.run.problem.variant = kernel.variants.front().name;
    step.run.np = tasks;
    for (const std::string& transport : options.transports) {
      step.run.transport = transport;
      round_.push_back(step);
    }
    step.run.transport.clear();
    step.program = std::filesystem::path(options.folder) / file_name(kernel, problem_class);
    round_.push_back(step);
  }

  void append(std::vector<PeerStep>& plan, int repeats, bool warmup) const {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const std::size_t begin = plan.size();
      plan.insert(plan.end(), round_.begin(), round_.end());
      if (repeat % 2 == 1) std::reverse(plan.begin() + static_cast<std::ptrdiff_t>(begin), plan.end());
      for (std::size_t i = begin; i < plan.size(); ++i) {
        plan[i].run.repeat = repeat;
        plan[i].run.warmup = warmup;
      }
    }
  }

 private:
  std::vector<PeerStep> round_;
};

}  // namespace

std::vector<PeerStep> make_peers_plan(const PeersOptions& options) {
  check_programs(options);
  std::vector<PeerStep> plan;
  for (const char problem_class : options.classes) {
    for (const int tasks : options.task_counts) {
      for (const Kernel* kernel : options.kernels) {
        const Cell cell(options, *kernel, problem_class, tasks);
        cell.append(plan, options.warmup, true);
        cell.append(plan, options.runs, false);
      }
    }
  }
  return plan;
}

std::vector<RunSpec> own_runs(const std::vector<PeerStep>& plan) {
  std::vector<RunSpec> runs;
  for (const PeerStep& step : plan) {
    if (!step.is_peer()) runs.push_back(step.run);
  }
  return runs;
}

}  // namespace nasvm
