// What MG needs, derived from its decomposition: messages, bytes, memory (docs/kernels/mg.md has the formulas).

#include "kernels/mg/grid.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "kernels/mg/problem.hpp"
#include "vm/collective/costs.hpp"

namespace nasvm::mg {
namespace {

using collective::Cost;

std::uint64_t plane_bytes(int level) {
  const auto edge = static_cast<std::uint64_t>(Hierarchy::edge(level));
  return edge * edge * sizeof(double);
}

std::uint64_t active_tasks(const Hierarchy& hierarchy, int level) {
  std::uint64_t active = 0;
  for (int task = 0; task < hierarchy.tasks(); ++task) active += hierarchy.active(level, task) ? 1 : 0;
  return active;
}

/// Both halo planes of every active task. A task that is alone is its own neighbour.
Cost halo_cost(const Hierarchy& hierarchy, int level) {
  const std::uint64_t active = active_tasks(hierarchy, level);
  return active > 1 ? 2 * active * Cost{1, plane_bytes(level)} : Cost{};
}

/// Restricting to `level`: one plane crosses every bound between fine slabs, upwards at an odd bound, downwards at
/// an even one, unless nobody beyond the bound restricts.
Cost restriction_cost(const Hierarchy& hierarchy, int level) {
  if (active_tasks(hierarchy, level + 1) < 2) return {};
  std::uint64_t planes = 0;
  for (int task = 0; task < hierarchy.tasks(); ++task) {
    if (hierarchy.partner_planes(level, task).size() == 0) continue;
    const Range fine = hierarchy.planes(level + 1, task);
    planes += (fine.begin % 2 == 1 ? 1U : 0U) + (fine.end % 2 == 0 ? 1U : 0U);
  }
  return planes * Cost{1, plane_bytes(level)};
}

/// Prolongating from `level`: two planes for each task that is active above it; but the owner of the whole level has
/// them already.
Cost prolongation_cost(const Hierarchy& hierarchy, int level) {
  const std::uint64_t readers = active_tasks(hierarchy, level + 1);
  const std::uint64_t owners = active_tasks(hierarchy, level);
  return 2 * (owners > 1 ? readers : readers - 1) * Cost{1, plane_bytes(level)};
}

/// The residual of the level goes to task 0, one message per task; its correction comes back with two halo planes.
Cost gather_cost(const Hierarchy& hierarchy, int level) {
  Cost cost;
  for (int task = 1; task < hierarchy.tasks(); ++task) {
    const auto planes = static_cast<std::uint64_t>(hierarchy.partner_planes(level, task).size());
    if (planes > 0) cost = cost + Cost{1, planes * plane_bytes(level)};
    if (hierarchy.active(level + 1, task)) cost = cost + Cost{1, (planes + 2) * plane_bytes(level)};
  }
  return cost;
}

Cost cycle_cost(const Hierarchy& hierarchy) {
  Cost cost = halo_cost(hierarchy, hierarchy.finest());  // u after the last smoothing
  for (int level = hierarchy.finest(); level >= 0; --level) {
    cost = cost + halo_cost(hierarchy, level);  // r before smoothing
    if (level == hierarchy.finest()) continue;
    cost = cost + restriction_cost(hierarchy, level);
    cost = cost + (hierarchy.gathered(level) ? gather_cost(hierarchy, level) : prolongation_cost(hierarchy, level));
  }
  return cost;
}

}  // namespace

Traffic traffic(const ProblemClass& problem, int tasks) {
  const Hierarchy hierarchy(problem.levels, tasks);
  const Cost norm = collective::allreduce_cost(tasks, sizeof(double));
  const Cost total = 2 * norm + static_cast<std::uint64_t>(problem.iterations) * cycle_cost(hierarchy);
  return {total.bytes, total.messages, true};
}

std::uint64_t memory_bytes(const ProblemClass& problem, int tasks) {
  const Hierarchy hierarchy(problem.levels, tasks);
  std::uint64_t elements = 0;
  for (int level = hierarchy.finest(); level >= 0; --level) {
    const std::uint64_t grids = level == hierarchy.finest() ? 3 : 2;  // u, r, and v
    const std::uint64_t halo = 2 * active_tasks(hierarchy, level);
    const auto planes = static_cast<std::uint64_t>(Hierarchy::edge(level)) + halo;
    elements += grids * planes * Grid::stride(Hierarchy::edge(level));
  }
  // Contributions to the restriction, sent and received.
  const std::uint64_t buffers = 4 * static_cast<std::uint64_t>(tasks) * plane_bytes(hierarchy.finest() - 1);
  return elements * sizeof(double) + buffers;
}

}  // namespace nasvm::mg
