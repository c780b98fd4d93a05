// What CG needs, derived from its decomposition: messages, bytes, memory.

#include "vm/collective/costs.hpp"
#include "kernels/cg/exchange.hpp"
#include "kernels/cg/grid.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {
namespace {

using collective::Cost;

/// The partial results of a product: every piece goes to its owner from the other tasks of the owner's row. Empty
/// pieces are not sent.
Cost fold_cost(const Grid& grid) {
  const auto partners = static_cast<std::uint64_t>(grid.cols() - 1);
  Cost cost;
  for (Rank rank = 0; rank < grid.tasks(); ++rank) {
    const auto bytes = static_cast<std::uint64_t>(grid.piece(rank).size()) * sizeof(double);
    if (bytes > 0) cost = cost + partners * Cost{1, bytes};
  }
  return cost;
}

/// Every piece goes with two numbers to the other tasks of its owner's column, then two sums to those of its row.
Cost expand_cost(const Grid& grid) {
  const auto tasks = static_cast<std::uint64_t>(grid.tasks());
  const auto column_partners = static_cast<std::uint64_t>(grid.rows() - 1);
  const auto row_partners = static_cast<std::uint64_t>(grid.cols() - 1);
  const auto vector_bytes = static_cast<std::uint64_t>(grid.piece(grid.tasks() - 1).end) * sizeof(double);
  return {tasks * (column_partners + row_partners),
          column_partners * vector_bytes + tasks * (column_partners + row_partners) * sizeof(Sums)};
}

/// An outer step's products, and the vectors that tasks exchange: one after each step but the last, and z.
Cost vectors_cost(const Grid& grid) { return inner_steps * expand_cost(grid) + (inner_steps + 1) * fold_cost(grid); }

Traffic total(const Parameters& problem, const Cost& outer_step) {
  const Cost cost = static_cast<std::uint64_t>(problem.outer_steps) * outer_step;
  return {cost.bytes, cost.messages, true};
}

}  // namespace

Traffic classic_traffic(const Parameters& problem, int tasks) {
  const Grid grid(problem.order, tasks);
  constexpr std::uint64_t later_steps = inner_steps - 1;
  return total(problem, vectors_cost(grid) + collective::allreduce_cost(tasks, sizeof(Sums)) +
                            (later_steps + 1) * collective::allreduce_cost(tasks, sizeof(double)));
}

Traffic merged_traffic(const Parameters& problem, int tasks) {
  const Grid grid(problem.order, tasks);
  return total(problem, vectors_cost(grid) + collective::allreduce_cost(tasks, sizeof(Sums)) +
                            collective::allreduce_cost(tasks, sizeof(double)));
}

std::uint64_t matrix_memory_bytes(const Parameters& problem, int grid_cols, int tasks) {
  const auto order = static_cast<std::uint64_t>(problem.order);
  const auto vector_entries = static_cast<std::uint64_t>(problem.nonzer) + 1;
  // An assembled slab, and its converted form with what fills up slices. A task alone may have half of its matrix
  // assembled again while it converts that, which is a byte more.
  const std::uint64_t element_bytes =
      2 * sizeof(double) + sizeof(std::int32_t) + sizeof(std::int16_t) + (tasks == 1 ? 1 : 0);
  constexpr std::uint64_t row_bytes = sizeof(std::int64_t) + 2 * sizeof(std::int32_t);  // count, begin, cursor
  return order * vector_entries * vector_entries * element_bytes +
         order * static_cast<std::uint64_t>(grid_cols) * row_bytes;
}

std::uint64_t memory_bytes(const Parameters& problem, int tasks) {
  const Grid grid(problem.order, tasks);
  const auto order = static_cast<std::uint64_t>(problem.order);
  const auto rows = static_cast<std::uint64_t>(grid.rows());
  const auto cols = static_cast<std::uint64_t>(grid.cols());
  // Each task has three vectors over its columns, one over its rows with arrivals of cols - 1 pieces, and three
  // pieces.
  const std::uint64_t vectors = order * (3 * rows + cols + (cols - 1) + 3) * sizeof(double);
  return matrix_memory_bytes(problem, grid.cols(), tasks) + vectors;
}

}  // namespace nasvm::cg
