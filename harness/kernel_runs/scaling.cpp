#include "harness/kernel_runs/scaling.hpp"

#include <algorithm>
#include <tuple>

#include "harness/statistics.hpp"

namespace nasvm {
namespace {

ScalingPoint point_of(const Case& repeats) {
  ScalingPoint point{repeats};
  point.np = point.run().np;
  point.hosts = hosts_used(point.run());
  point.time_s = repeats.median_of(&RunRecord::time_s);
  point.useful = {repeats.median_of([](const RunRecord& run) { return useful_time(run).mean_s; }),
                  repeats.median_of([](const RunRecord& run) { return useful_time(run).max_s; })};
  return point;
}

/// Puts the points in order and holds them against the reference.
void complete(ScalingSeries& series) {
  std::ranges::stable_sort(series.points, {},
                           [](const ScalingPoint& point) { return std::tuple(point.run().host_count, point.np); });
  const auto least = std::ranges::min_element(
      series.points, {}, [](const ScalingPoint& point) { return std::tuple(point.np, point.hosts); });
  series.reference = static_cast<std::size_t>(least - series.points.begin());
  const double time_s = least->time_s;
  const double useful_s = least->np * least->useful.mean_s;
  for (ScalingPoint& point : series.points) {
    point.speedup = time_s / point.time_s;
    point.computation_scalability = useful_s / (point.np * point.useful.mean_s);
  }
}

/// All sizes of one problem: groups are of one size each.
std::vector<GroupOf<RunRecord>> problems_of(std::span<const Source> sources) {
  std::vector<GroupOf<RunRecord>> problems;
  for (Group& group : group_runs(sources)) {
    const auto same = [&](const Group& problem) { return is_same_problem(problem.first(), group.first()); };
    auto problem = std::ranges::find_if(problems, same);
    if (problem == problems.end()) problem = problems.insert(problem, Group{});
    std::ranges::move(group.cases, std::back_inserter(problem->cases));
  }
  for (Group& problem : problems) gather_transports(problem);
  return problems;
}

}  // namespace

bool is_same_problem(const RunRecord& a, const RunRecord& b) {
  return a.kernel == b.kernel && a.problem_class == b.problem_class && a.threads == b.threads &&
         a.variant == b.variant && a.parameters == b.parameters;
}

UsefulTime useful_time(const RunRecord& run) {
  const auto& tasks = run.comm.by_rank;
  if (tasks.empty()) return {ScalingPoint::unknown, ScalingPoint::unknown};
  UsefulTime useful;
  for (const RankRecord& task : tasks) {
    const double region_s = task.region_s > 0 ? task.region_s : run.time_s;
    const double useful_s = std::max(0.0, region_s - task.time_s);
    useful.mean_s += useful_s / static_cast<double>(tasks.size());
    useful.max_s = std::max(useful.max_s, useful_s);
  }
  return useful;
}

std::vector<ScalingSeries> scaling_series(std::span<const Source> sources) {
  std::vector<ScalingSeries> all;
  for (const Group& problem : problems_of(sources)) {
    std::size_t first = all.size();
    for (const Case& one : problem.cases) {
      const auto mine = [&](const ScalingSeries& series) {
        return series.source == one.source && series.run().transport == one.transport;
      };
      auto found = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), mine);
      if (found == all.end()) found = all.insert(found, {one.source, {}});
      found->points.push_back(point_of(one));
    }
  }
  for (ScalingSeries& series : all) complete(series);
  return all;
}

bool has_sizes(const std::vector<ScalingSeries>& series) {
  return std::ranges::any_of(series, [](const ScalingSeries& one) { return one.points.size() > 1; });
}

}  // namespace nasvm
