// What MG's variant `paper` needs, derived from its scheme: messages, bytes, memory.

#include <span>

#include "kernels/common/central_sum.hpp"
#include "kernels/mg/grid.hpp"
#include "kernels/mg/paper/ring.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

using collective::Cost;

Cost cost_of(std::span<const PlaneMove> moves, int level) {
  Cost cost;
  for (const PlaneMove& move : moves) {
    if (move.from == move.to) continue;
    const auto planes = static_cast<std::size_t>(move.source.size());
    cost = cost + Cost{1, Grid::elements(Hierarchy::edge(level), planes) * sizeof(double)};
  }
  return cost;
}

/// The token on its way from the first of the tasks that take part to the last.
Cost token_cost(const Hierarchy& ring, int level) {
  std::uint64_t tasks = 0;
  for (int task = 0; task < ring.tasks(); ++task) tasks += takes_part(ring, level, task) ? 1 : 0;
  return {tasks - 1, tasks - 1};
}

Cost exchange_cost(const Hierarchy& ring, int level, MessageOrder order) {
  const Cost borders = cost_of(border_moves(ring, level), level);
  return order == MessageOrder::token ? borders + token_cost(ring, level) : borders;
}

Cost cycle_cost(const Hierarchy& ring, MessageOrder order) {
  Cost cost;
  for (int level = ring.finest(); level >= 0; --level) {
    // After restriction (on the finest level: residual), prolongation, residual and smoothing.
    const std::uint64_t exchanges = level == 0 ? 2 : 4;
    cost = cost + exchanges * exchange_cost(ring, level, order);
    if (level < ring.finest()) cost = cost + cost_of(rejoin_moves(ring, level), level);
  }
  return cost;
}

}  // namespace

Traffic paper_traffic(const Parameters& problem, int tasks, MessageOrder order) {
  const Hierarchy ring = ring_of_slabs(problem.levels, tasks);
  const Cost total = 2 * central_sum_cost(tasks) + exchange_cost(ring, ring.finest(), order) +  // the first residual
                     static_cast<std::uint64_t>(problem.iterations) * cycle_cost(ring, order);
  return {total.bytes, total.messages, true};
}

std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks) {
  const Hierarchy ring = ring_of_slabs(problem.levels, tasks);
  constexpr std::uint64_t grids = 3;  // u, the right-hand side, r
  std::uint64_t elements = 0;
  for (int level = ring.finest(); level >= 0; --level) {
    for (int task = 0; task < tasks; ++task) {
      if (!takes_part(ring, level, task)) continue;
      const auto planes = static_cast<std::uint64_t>(with_shadows(ring, level, task).size());
      elements += grids * planes * Grid::stride(Hierarchy::edge(level));
    }
  }
  return elements * sizeof(double);
}

}  // namespace nasvm::mg
