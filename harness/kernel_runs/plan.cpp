#include "harness/kernel_runs/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/kernel_runs/run_cases.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/numbers.hpp"
#include "harness/session/plan.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

/// Those that are not the kernel's defaults: a default makes no other case by being given.
ParameterValues unusual_values(const Kernel& kernel, ParameterValues values) {
  std::erase_if(values, [&kernel](const auto& given) {
    const KernelParameter* parameter = kernel.parameter(given.first);
    return parameter != nullptr && given.second == parameter->values.front();
  });
  return values;
}

RunSpec first_spec(const RunOptions& options, const Kernel& kernel, char problem_class, int tasks, int hosts) {
  RunSpec spec;
  spec.kernel = &kernel;
  spec.problem.problem_class = problem_class;
  spec.problem.threads = options.threads;
  spec.problem.parameters = unusual_values(kernel, options.parameters);
  spec.np = tasks;
  spec.hosts = hosts;
  spec.multicast = options.multicast;
  spec.checkpoints = options.checkpoints;
  spec.bind = options.bind;
  return spec;
}

bool is_farmed(const RunSpec& spec) { return spec.kernel->variant(spec.problem.variant).farmed != nullptr; }

/// What carries a farm's messages whatever is asked for; message systems stay, to be refused (check_spawning).
std::string_view carrier_of_farms(const std::string& transport) {
  return is_message_system(transport) ? std::string_view(transport) : "daemon";
}

/// One variant of a kernel at one size over each transport.
void append_transports(std::vector<RunSpec>& round, const RunOptions& options, RunSpec spec) {
  const auto transports =
      is_farmed(spec)
          ? distinct(options.transports, [](const std::string& name) { return std::string(carrier_of_farms(name)); })
          : options.transports;
  for (const std::string& transport : transports) {
    spec.transport = transport;
    round.push_back(spec);
  }
}

}  // namespace

std::vector<RunSpec> round_of(const RunOptions& options, const Kernel& kernel, char problem_class, int tasks,
                              int hosts) {
  RunSpec spec = first_spec(options, kernel, problem_class, tasks, hosts);
  std::vector<RunSpec> round;
  for (const std::string& variant : options.variants) {
    spec.problem.variant = kernel.variant(variant).name;
    append_transports(round, options, spec);
  }
  return round;
}

std::vector<RunSpec> make_plan(const RunOptions& options) {
  std::vector<RunSpec> plan;
  for (const Kernel* kernel : options.kernels) {
    for (const char problem_class : options.classes) {
      for (const int tasks : options.task_counts) {
        for (const int hosts : options.host_counts) {
          if (hosts > tasks) continue;
          const std::vector<RunSpec> round = round_of(options, *kernel, problem_class, tasks, hosts);
          append_repeats(plan, round, options.warmup, options.runs);
        }
      }
    }
  }
  return plan;
}

std::string farm_remark(const std::vector<RunSpec>& plan, const std::vector<std::string>& transports) {
  const auto farm = std::ranges::find_if(plan, is_farmed);
  if (farm == plan.end() || transports == std::vector{farm->transport}) return {};
  return fmt::format("{}'s variant {}: its messages go through the daemons, not over {}; it is measured once, as {}",
                     farm->kernel->name, farm->problem.variant, joined(transports), farm->transport);
}

std::string name_of(const RunSpec& spec) {
  const bool usual = spec.problem.variant == spec.kernel->variants.front().name;
  return fmt::format("{}{}{}, {}{}", size_text(spec.kernel->name, spec.problem.problem_class, spec.np),
                     hosts_text(spec.hosts), usual ? "" : ", variant " + spec.problem.variant, spec.transport,
                     spec.warmup ? " (warm-up)" : "");
}

void check_hosts(const std::vector<int>& host_counts, std::size_t hosts) {
  const int most = *std::ranges::max_element(host_counts);
  if (static_cast<std::size_t>(most) <= hosts) return;
  throw UsageError(fmt::format("--hosts {}: this machine has {} (--hostfile)", most, counted(hosts, "host")));
}

void check_spawning(const std::vector<RunSpec>& plan) {
  for (const RunSpec& spec : plan) {
    if (!is_farmed(spec)) continue;
    const std::string what = fmt::format("{}'s variant {} spawns its tasks", spec.kernel->name, spec.problem.variant);
    if (is_message_system(spec.transport)) {
      throw UsageError(
          fmt::format("--transport {}: {}, which {} can", spec.transport, what, joined(transport_names())));
    }
    if (spec.hosts > 0) {
      throw UsageError(fmt::format("--hosts {}: {} where the fewest are; a --hostfile of {} would do", spec.hosts,
                                   what, counted(spec.hosts, "host")));
    }
    if (!spec.multicast.empty()) {
      throw UsageError(
          fmt::format("--multicast {}: {}, and they broadcast nothing; leave one of them out", spec.multicast, what));
    }
  }
}

void check_memory(const std::vector<RunSpec>& plan, std::uint64_t available_bytes) {
  for (const RunSpec& spec : plan) {
    const std::uint64_t needed_bytes = spec.kernel->memory_bytes(spec.problem, spec.np);
    if (needed_bytes <= available_bytes) continue;
    throw RunError(
        fmt::format("no memory: {} class {} with {} tasks needs {} ({} bytes), {} ({} bytes) are available; a "
                    "smaller class would fit",
                    spec.kernel->name, spec.problem.problem_class, spec.np, bytes_text(needed_bytes), needed_bytes,
                    bytes_text(available_bytes), available_bytes));
  }
}

void check_threads(const std::vector<RunSpec>& plan, std::uint64_t available_threads) {
  for (const RunSpec& spec : plan) {
    const auto tasks = static_cast<std::uint64_t>(spec.np);
    const auto threads = static_cast<std::uint64_t>(spec.problem.threads);
    if (tasks * threads <= available_threads) continue;
    throw UsageError(
        fmt::format("--threads {}: with {} that is {} threads, this system allows {} more; fewer threads or "
                    "tasks would do (as many as there are cores are best)",
                    threads, counted(tasks, "task"), tasks * threads, available_threads));
  }
}

}  // namespace nasvm
