// What CG needs, derived from its decomposition: messages, bytes, memory.

#include "vm/collective/costs.hpp"
#include "kernels/cg/grid.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {
namespace {

using collective::Cost;

/// One product: every piece goes to the other tasks of its owner's column, and comes together as partial results
/// from the other tasks of its owner's row. Empty pieces are not sent.
Cost product_cost(const Grid& grid) {
  const auto partners = static_cast<std::uint64_t>(grid.rows() - 1 + grid.cols() - 1);
  Cost cost;
  for (Rank rank = 0; rank < grid.tasks(); ++rank) {
    const auto bytes = static_cast<std::uint64_t>(grid.piece(rank).size()) * sizeof(double);
    if (bytes > 0) cost = cost + partners * Cost{1, bytes};
  }
  return cost;
}

}  // namespace

Traffic traffic(const Parameters& problem, int tasks) {
  const Cost product = product_cost(Grid(problem.order, tasks));
  const Cost sum = collective::allreduce_cost(tasks, sizeof(double));
  const Cost last_sums = collective::allreduce_cost(tasks, 3 * sizeof(double));
  const auto outer_steps = static_cast<std::uint64_t>(problem.outer_steps);
  const Cost total = outer_steps * ((inner_steps + 1) * product + (2 * inner_steps + 1) * sum + last_sums);
  return {total.bytes, total.messages, true};
}

std::uint64_t memory_bytes(const Parameters& problem, int tasks) {
  const Grid grid(problem.order, tasks);
  const auto order = static_cast<std::uint64_t>(problem.order);
  const auto rows = static_cast<std::uint64_t>(grid.rows());
  const auto cols = static_cast<std::uint64_t>(grid.cols());
  const auto vector_entries = static_cast<std::uint64_t>(problem.nonzer) + 1;
  constexpr std::uint64_t element_bytes = sizeof(double) + sizeof(std::int32_t);
  constexpr std::uint64_t row_bytes = sizeof(std::int64_t) + 2 * sizeof(std::int32_t);  // count, begin, cursor
  const std::uint64_t matrix = order * vector_entries * vector_entries * element_bytes + order * cols * row_bytes;
  // Each task has a vector over its columns, one over its rows, arrivals of cols - 1 pieces, and three pieces.
  const std::uint64_t vectors = order * (rows + cols + (cols - 1) + 3) * sizeof(double);
  return matrix + vectors;
}

}  // namespace nasvm::cg
