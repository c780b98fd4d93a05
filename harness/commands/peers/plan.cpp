#include "harness/commands/peers/plan.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include "harness/session/plan.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

std::string file_name(const Kernel& kernel, char problem_class) {
  return fmt::format("{}.{}.x", kernel.name, problem_class);
}

/// Says everything that is missing in a folder before anything is measured.
void check_programs(const PeersOptions& options, std::string_view option, const std::string& name) {
  const std::filesystem::path folder = name;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw UsageError(
        fmt::format("{} {}: no such folder; expected the one with programs such as ft.A.x", option, name));
  }
  std::vector<std::string> missing;
  for (const char problem_class : options.classes) {
    for (const Kernel* kernel : options.kernels) {
      const std::string file = file_name(*kernel, problem_class);
      if (::access((folder / file).c_str(), X_OK) != 0) missing.push_back(file);
    }
  }
  if (missing.empty()) return;
  throw UsageError(fmt::format("{} {}: no program {} there; build it, or name the kernels and classes that are there",
                               option, name, joined(missing)));
}

/// One kernel at one size: each of our variants over each of our transports, then the peer in each way.
std::vector<PeerStep> round_of(const PeersOptions& options, const RunOptions& own, const Kernel& kernel,
                               char problem_class, int tasks) {
  std::vector<PeerStep> round;
  for (const RunSpec& spec : round_of(own, kernel, problem_class, tasks)) round.push_back({spec, "", {}});
  PeerStep step;
  step.kernel = &kernel;
  step.problem.problem_class = problem_class;
  step.np = tasks;
  const auto add = [&](PeerWay way, const std::string& folder) {
    step.way = way;
    step.program = std::filesystem::path(folder) / file_name(kernel, problem_class);
    round.push_back(step);
  };
  add(PeerWay::as_built, options.folder);
  add(PeerWay::huge_pages, options.folder);
  if (tasks == 1 && !options.serial_folder.empty()) add(PeerWay::serial, options.serial_folder);
  for (const std::string& transport : options.over) {
    step.transport = transport;
    add(PeerWay::over_ours, options.folder);
  }
  return round;
}

/// There is nothing to hold them against otherwise.
void check_over(const PeersOptions& options) {
  for (const std::string& transport : options.over) {
    if (std::ranges::find(options.transports, transport) != options.transports.end()) continue;
    throw UsageError(
        fmt::format("--over {0}: our kernels do not run over it; name it in --transport, too", transport));
  }
}

}  // namespace

RunOptions own_options(const PeersOptions& options) {
  RunOptions own;
  own.kernels = options.kernels;
  own.transports = options.transports;
  own.variants = options.variants;
  own.timeout_s = options.timeout_s;
  return own;
}

std::vector<PeerStep> make_peers_plan(const PeersOptions& options) {
  check_over(options);
  check_programs(options, "--bin", options.folder);
  if (!options.serial_folder.empty()) check_programs(options, "--serial", options.serial_folder);
  const RunOptions own = own_options(options);
  std::vector<PeerStep> plan;
  for (const char problem_class : options.classes) {
    for (const int tasks : options.task_counts) {
      for (const Kernel* kernel : options.kernels) {
        append_repeats(plan, round_of(options, own, *kernel, problem_class, tasks), options.warmup, options.runs);
      }
    }
  }
  return plan;
}

std::vector<RunSpec> own_runs(const std::vector<PeerStep>& plan) {
  std::vector<RunSpec> runs;
  for (const PeerStep& step : plan) {
    if (!step.is_peer()) runs.push_back(step);
  }
  return runs;
}

}  // namespace nasvm
