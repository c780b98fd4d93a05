#include "harness/kernel_runs/checkpoint_options.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/cli/command_line.hpp"
#include "harness/cli/values.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/session/order.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"

namespace nasvm {
namespace {

constexpr int most_iterations = 10'000;

/// Tasks may work in other folders.
void make_absolute(std::string& path) {
  if (!path.empty()) path = std::filesystem::path(whole_path(path)).lexically_normal().string();
}

std::vector<std::string_view> kernels_with_checkpoints() {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : kernels()) {
    if (kernel.variants.front().checkpoints) names.push_back(kernel.name);
  }
  return names;
}

/// A file is of one kernel and one class.
void check_work(const RunOptions& options, const std::string& option) {
  if (options.kernels.size() != 1 || options.classes.size() != 1) {
    throw UsageError(option + ": a file is for one kernel and one class: name them, such as ft --class A");
  }
  const Kernel& kernel = *options.kernels.front();
  for (const std::string& name : options.variants) {
    const KernelVariant& variant = kernel.variant(name);
    if (variant.checkpoints) continue;
    throw UsageError(fmt::format("{}: {}'s variant {} makes no checkpoints; {} do", option, kernel.name, variant.name,
                                 joined(kernels_with_checkpoints())));
  }
}

void check_transports(const RunOptions& options, const std::string& option) {
  const auto system = std::ranges::find_if(options.transports, is_message_system);
  if (system == options.transports.end()) return;
  throw UsageError(
      fmt::format("{}: tasks of message systems have no file cache; --transport {} cannot", option, *system));
}

/// By whatever links.
bool is_one_file(const std::string& save, const std::string& restart) {
  std::error_code none;
  return save == restart || std::filesystem::equivalent(save, restart, none);
}

/// Of several runs only the first would find what it is to go on from.
void check_same_file(const RunOptions& options) {
  const std::string& save = options.checkpoints.save;
  const std::string& restart = options.checkpoints.restart;
  if (save.empty() || restart.empty() || !is_one_file(save, restart)) return;
  const std::size_t cases =
      options.transports.size() * options.variants.size() * options.task_counts.size() * options.host_counts.size();
  if (cases == 1 && options.runs == 1 && options.warmup == 0) return;
  throw UsageError(
      "--checkpoint and --restart name one file, which the first of several runs would change: one --np, "
      "one --transport, one --variant, --runs 1");
}

void check(const RunOptions& options, bool every_given) {
  const CheckpointOptions& asked = options.checkpoints;
  if (asked.save.empty() && (every_given || asked.disk_rate)) {
    throw UsageError(fmt::format("--{}: of what? --checkpoint names the file", every_given ? "every" : "disk-rate"));
  }
  if (!asked.any()) return;
  const std::string option = asked.save.empty() ? "--restart" : "--checkpoint";
  check_work(options, option);
  check_transports(options, option);
  check_same_file(options);
}

}  // namespace

void describe(Fields& fields, CheckpointOptions& options) {
  fields.text("save", options.save, Need::optional);
  fields.integer("every", options.every, Need::optional);
  fields.text("restart", options.restart, Need::optional);
  fields.boolean("disk_rate", options.disk_rate, Need::optional);
}

void add_checkpoint_options(CommandLine& line, RunOptions& options) {
  CheckpointOptions& asked = options.checkpoints;
  line.option({"--checkpoint", "FILE", "keep what is needed to go on in this file, outside of the time measured"},
              asked.save);
  add_count(line, {"--every", "N", "iterations between checkpoints"}, asked.every, 1, most_iterations);
  line.option({"--restart", "FILE", "go on from a checkpoint, with any number of tasks"}, asked.restart);
  line.flag({"--disk-rate", "", "beside each checkpoint as many bytes in one sequence, to compare"}, asked.disk_rate);
  line.afterwards([&line, &options] {
    make_absolute(options.checkpoints.save);
    make_absolute(options.checkpoints.restart);
    check_order_text("--checkpoint", options.checkpoints.save);
    check_order_text("--restart", options.checkpoints.restart);
    check(options, line.given("--every"));
  });
}

NamedTexts parameters_of(const CheckpointOptions& options) {
  NamedTexts parameters;
  if (!options.save.empty()) parameters.emplace_back("checkpoint", fmt::format("every {}", options.every));
  if (!options.restart.empty()) {
    parameters.emplace_back("restart", "from " + std::filesystem::path(options.restart).filename().string());
  }
  return parameters;
}

}  // namespace nasvm
