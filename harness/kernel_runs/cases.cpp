#include "harness/report/cases.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kernels/kernel.hpp"

namespace nasvm {
namespace {

Group& group_of(std::vector<Group>& groups, const RunRecord& run) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.kernel == run.kernel && group.problem_class == run.problem_class && group.np == run.np &&
           group.threads == run.threads && group.variant == run.variant;
  });
  if (found != groups.end()) return *found;
  groups.push_back({run.kernel, run.problem_class, run.np, run.threads, run.variant, {}});
  return groups.back();
}

Case& case_of(Group& group, std::size_t source, const RunRecord& run) {
  const auto found = std::find_if(group.cases.begin(), group.cases.end(), [&](const Case& other) {
    return other.source == source && other.transport == run.transport;
  });
  if (found != group.cases.end()) return *found;
  group.cases.push_back({source, run.transport, {}});
  return group.cases.back();
}

bool is_default_variant(const Group& group) {
  const Kernel* kernel = find_kernel(group.kernel);
  return group.variant.empty() || (kernel != nullptr && kernel->variants.front().name == group.variant);
}

/// Brings the cases of one transport together, keeping the order otherwise.
void gather_transports(Group& group) {
  std::vector<Case> gathered;
  for (const Case& first : group.cases) {
    const auto same = [&](const Case& other) { return other.transport == first.transport; };
    if (std::any_of(gathered.begin(), gathered.end(), same)) continue;
    std::copy_if(group.cases.begin(), group.cases.end(), std::back_inserter(gathered), same);
  }
  group.cases = std::move(gathered);
}

}  // namespace

std::string source_label(std::size_t position) {
  return position < 26 ? std::string(1, static_cast<char>('A' + position)) : std::to_string(position + 1);
}

std::size_t Case::failed() const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const RunRecord* run) { return !run->verified; }));
}

std::vector<double> Case::times() const {
  return all([](const RunRecord& run) { return run.time_s; });
}

std::string Group::name() const {
  std::string text = fmt::format("{} class {}, {} {}", kernel, problem_class, np, np == 1 ? "task" : "tasks");
  if (threads > 1) text += fmt::format(" of {} threads", threads);
  if (!is_default_variant(*this)) text += ", variant " + variant;
  return text;
}

std::vector<Group> group_runs(std::span<const Source> sources) {
  std::vector<Group> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const RunRecord& run : sources[source].document.runs) {
      case_of(group_of(groups, run), source, run).runs.push_back(&run);
    }
  }
  for (Group& group : groups) gather_transports(group);
  return groups;
}

}  // namespace nasvm
