// What MG needs, derived from its decomposition: messages, bytes, memory (docs/kernels/mg.md has the formulas).

#include "vm/collective/costs.hpp"
#include "kernels/mg/grid.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "kernels/mg/problem.hpp"
#include "kernels/mg/sweep.hpp"

namespace nasvm::mg {
namespace {

using collective::Cost;

/// What tasks send each other before a sweep.
Cost halo_cost(const Hierarchy& hierarchy, int level) {
  Cost cost;
  for (const PlaneMove& move : hierarchy.moves(level)) {
    if (move.from == move.to) continue;
    const auto planes = static_cast<std::size_t>(move.source.size());
    cost = cost + Cost{1, Grid::elements(Hierarchy::edge(level), planes) * sizeof(double)};
  }
  return cost;
}

Cost gather_cost(const Hierarchy& hierarchy, int level) {
  std::vector<std::size_t> blocks;
  for (int task = 0; task < hierarchy.tasks(); ++task) {
    const auto planes = static_cast<std::size_t>(hierarchy.partner_planes(level, task).size());
    blocks.push_back(Grid::elements(Hierarchy::edge(level), planes) * sizeof(double));
  }
  return collective::allgatherv_cost(blocks);
}

/// The way down; up there are no messages.
Cost cycle_cost(const Hierarchy& hierarchy) {
  Cost cost;
  for (int level = hierarchy.finest() - 1; level >= 0; --level) {
    cost = cost + (hierarchy.is_gathered(level) ? gather_cost(hierarchy, level) : halo_cost(hierarchy, level));
  }
  return cost;
}

}  // namespace

Traffic traffic(const Parameters& problem, int tasks) {
  const Hierarchy hierarchy(problem.levels, tasks);
  const auto cycles = static_cast<std::uint64_t>(problem.iterations);
  // The first cycle begins with u = 0, whose halo is known to be zero.
  const Cost total = 2 * collective::allreduce_cost(tasks, sizeof(double)) + cycles * cycle_cost(hierarchy) +
                     (cycles - 1) * halo_cost(hierarchy, hierarchy.finest());
  return {total.bytes, total.messages, true};
}

std::uint64_t memory_bytes(const Parameters& problem, int tasks, int threads) {
  const Hierarchy hierarchy(problem.levels, tasks);
  std::uint64_t elements = 0;
  for (int task = 0; task < tasks; ++task) {
    if (!hierarchy.is_active(task)) continue;
    for (int level = hierarchy.finest(); level >= 0; --level) {
      const auto planes = hierarchy.stored_planes(level, task).size() + hierarchy.residual_planes(level, task).size();
      elements += static_cast<std::uint64_t>(planes) * Grid::stride(Hierarchy::edge(level));
    }
    elements += static_cast<std::uint64_t>(threads) * Scratch::planes_for(threads) * Grid::stride(problem.edge());
  }
  return elements * sizeof(double);
}

}  // namespace nasvm::mg
