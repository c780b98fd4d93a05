#include "harness/kernel_runs/run_cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {
namespace {

bool same_work(const RunRecord& a, const RunRecord& b) {
  return a.kernel == b.kernel && a.problem_class == b.problem_class && a.np == b.np && a.threads == b.threads &&
         a.host_count == b.host_count && a.variant == b.variant && a.parameters == b.parameters &&
         a.first_iteration == b.first_iteration;
}

/// What must not change between builds. A farm's messages go as the speeds of the moment ask for them, and so may
/// those of programs of others.
std::vector<Fact> facts_of(const RunRecord& run) {
  if (run.problem_class == no_class) return {};
  const Kernel* kernel = find_kernel(run.kernel);
  if (kernel != nullptr) {
    const auto variant = std::ranges::find(kernel->variants, run.variant, &KernelVariant::name);
    if (variant != kernel->variants.end() && variant->farmed != nullptr) return {};
  }
  return {{"messages", run.comm.messages}, {"bytes of volume", run.comm.volume_bytes}};
}

}  // namespace

int iterations_done(const Kernel& kernel, const Problem& problem, const RunRecord& run) {
  return kernel.iterations(problem) + 1 - std::max(run.first_iteration, 1);
}

double mega_operations_done(const Kernel& kernel, const Problem& problem, const RunRecord& run) {
  const int iterations = kernel.iterations(problem);
  const double all = kernel.mega_operations(problem);
  return run.first_iteration <= 1 || iterations <= 0 ? all : all * iterations_done(kernel, problem, run) / iterations;
}

std::vector<Group> group_runs(std::span<const Source> sources) { return group_cases<RunRecord>(sources, same_work); }

bool have_classes(std::span<const Group> groups) {
  return std::ranges::any_of(groups, [](const Group& group) { return group.first().problem_class != no_class; });
}

bool have_classes(std::span<const Source> sources) {
  return std::ranges::any_of(sources, [](const Source& source) {
    return std::ranges::any_of(source.document.records<RunRecord>(),
                               [](const RunRecord& run) { return run.problem_class != no_class; });
  });
}

std::string size_text(std::string_view kernel, char problem_class, int np) {
  if (problem_class == no_class) return fmt::format("{}, {}", kernel, counted(np, "task"));
  return fmt::format("{} class {}, {}", kernel, problem_class, counted(np, "task"));
}

std::string hosts_text(int host_count) {
  return host_count == 0 ? "" : fmt::format(" on {}", counted(host_count, "host"));
}

std::string name_of(const RunRecord& run) {
  std::string text = size_text(run.kernel, run.problem_class, run.np);
  if (run.threads > 1) text += fmt::format(" of {} threads", run.threads);
  text += hosts_text(run.host_count);
  if (!is_default_variant(run.kernel, run.variant)) text += ", variant " + run.variant;
  for (const auto& [name, value] : run.parameters) text += fmt::format(", {} {}", name, value);
  return text;
}

std::string name_of(const Group& group) { return name_of(group.first()); }

std::vector<Compared> compared_runs(const Document& document) {
  static constexpr FigureKind time{"time", "s"};
  std::vector<Compared> all;
  for (const RunRecord& run : document.records<RunRecord>()) {
    const std::string rest = run.first_iteration > 1 ? fmt::format(" from iteration {} on", run.first_iteration) : "";
    all.push_back({fmt::format("{}{}, {}", name_of(run), rest, run.transport), time, run.time_s, run.verified,
                   facts_of(run), run.sampled});
  }
  return all;
}

bool is_default_variant(const std::string& kernel, const std::string& variant) {
  const Kernel* found = find_kernel(kernel);
  return variant.empty() || (found != nullptr && found->variants.front().name == variant);
}

std::string kernel_title(const std::string& kernel, const std::string& variant) {
  const Kernel* found = find_kernel(kernel);
  const std::string title = found != nullptr ? std::string(found->title) : kernel;
  return is_default_variant(kernel, variant) ? title : title + " " + variant;
}

std::string kernel_title(const RunRecord& run) {
  if (run.problem_class == no_class) return run.kernel;  // a program may be called like a kernel
  std::string title = kernel_title(run.kernel, run.variant);
  // The values of kernels' own parameters speak for themselves.
  for (const auto& [name, value] : run.parameters)
    title += " " + (name == bind_parameter || name == multicast_parameter ? name + " " + value : value);
  return title;
}

std::string tasks_text(const RunRecord& run) {
  return run.threads == 1 ? std::to_string(run.np) : fmt::format("{} x {}", run.np, run.threads);
}

}  // namespace nasvm
