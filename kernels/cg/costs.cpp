// What CG needs, derived from its decomposition: messages, bytes, memory.

#include "vm/collective/costs.hpp"
#include "kernels/cg/common_block.hpp"
#include "kernels/cg/exchange.hpp"
#include "kernels/cg/grid.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/storage.hpp"

namespace nasvm::cg {
namespace {

using collective::Cost;

std::uint64_t messages_of_member(int members, Prefer prefer) {
  std::uint64_t messages = 0;
  for (const Round& round : gather_rounds(members, 0, prefer)) messages += round.out.size();
  return messages;
}

/// The partial results of a product: the rounds of the rows backwards. Empty groups of pieces are not sent.
Cost fold_cost(const Grid& grid, Prefer prefer) {
  Cost cost;
  for (Rank rank = 0; rank < grid.tasks(); ++rank) {
    for (const Round& round : gather_rounds(grid.cols(), grid.col_of(rank), prefer)) {
      for (const Round::Message& message : round.in) {
        std::uint64_t bytes = 0;
        for (int i = 0; i < message.parts.count; ++i) {
          const int col = (message.parts.first + i) % grid.cols();
          bytes +=
              static_cast<std::uint64_t>(grid.piece(grid.rank_at(grid.row_of(rank), col)).size()) * sizeof(double);
        }
        if (bytes > 0) cost = cost + Cost{1, bytes};
      }
    }
  }
  return cost;
}

/// Sums of so many bytes in `rows` rows: at one task and back (two tasks exchange them, which are as many messages).
Cost row_sums_cost(const Grid& grid, int rows, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(rows) * 2 * static_cast<std::uint64_t>(grid.cols() - 1) * Cost{1, bytes};
}

/// Numbers that are known in their columns: each row exchanges them, or (with more than two columns) row 0 adds up
/// and tells all.
Cost column_sums_cost(const Grid& grid, Prefer prefer, std::uint64_t bytes) {
  const auto rows = static_cast<std::uint64_t>(grid.rows());
  const auto cols = static_cast<std::uint64_t>(grid.cols());
  if (prefer == Prefer::few_rounds || cols <= 2) return rows * cols * (cols - 1) * Cost{1, bytes};
  return row_sums_cost(grid, 1, bytes) + cols * (rows - 1) * Cost{1, bytes};
}

/// Every piece comes with two numbers to the other tasks of its owner's column; then the sums.
Cost expand_cost(const Grid& grid, Prefer prefer) {
  const auto tasks = static_cast<std::uint64_t>(grid.tasks());
  const auto others = static_cast<std::uint64_t>(grid.rows() - 1);
  const auto vector_bytes = static_cast<std::uint64_t>(grid.piece(grid.tasks() - 1).end) * sizeof(double);
  const Cost pieces{tasks * messages_of_member(grid.rows(), prefer), others * (vector_bytes + tasks * sizeof(Sums))};
  const int leading = prefer == Prefer::few_messages ? leading_rows(grid) : 0;
  return pieces +
         (leading > 0 ? row_sums_cost(grid, leading, sizeof(Sums)) : column_sums_cost(grid, prefer, sizeof(Sums)));
}

/// What two tasks that halve their common block form of each other's result.
Cost common_cost(const Parameters& problem, const Grid& grid, Prefer prefer) {
  if (!halves_common_block(problem, grid.tasks(), prefer)) return {};
  return {2, static_cast<std::uint64_t>(problem.order) * sizeof(double)};
}

/// An outer step of either recurrence: its products, the vectors that tasks exchange, one after each step but the
/// last, and z, and the residual. Not the sums that go without a vector.
Cost outer_step_cost(const Parameters& problem, const Grid& grid, Prefer prefer) {
  return inner_steps * expand_cost(grid, prefer) +
         (inner_steps + 1) * (fold_cost(grid, prefer) + common_cost(problem, grid, prefer)) +
         collective::reduce_cost(grid.tasks(), sizeof(double));
}

Traffic total(const Parameters& problem, const Cost& outer_step) {
  const Cost cost = static_cast<std::uint64_t>(problem.outer_steps) * outer_step;
  return {cost.bytes, cost.messages, true};
}

/// Does a thread have its slab in two forms until it takes the faster one?
bool tries_two_forms(const Parameters& problem, int tasks, int threads, std::span<const Cache> caches) {
  double kept = expected_elements(problem, problem.order, problem.order);
  // The common block is half of the matrix then.
  if (halves_common_block(problem, tasks, Prefer::few_rounds)) kept *= 0.75;
  return storage_for(kept / (static_cast<double>(tasks) * threads), caches) == Storage::faster;
}

}  // namespace

Traffic classic_traffic(const Parameters& problem, int tasks, Prefer prefer) {
  const Grid grid(problem.order, tasks);
  constexpr std::uint64_t later_steps = inner_steps - 1;
  const Cost sum = collective::allreduce_cost(tasks, sizeof(double));
  const Cost sums = prefer == Prefer::few_messages
                        ? sum + later_steps * column_sums_cost(grid, prefer, sizeof(double))
                        : collective::allreduce_cost(tasks, sizeof(Sums)) + later_steps * sum;
  return total(problem, outer_step_cost(problem, grid, prefer) + sums);
}

Traffic merged_traffic(const Parameters& problem, int tasks, Prefer prefer) {
  return total(problem, outer_step_cost(problem, Grid(problem.order, tasks), prefer) +
                            collective::allreduce_cost(tasks, sizeof(Sums)));
}

std::uint64_t matrix_memory_bytes(const Parameters& problem, int grid_cols, int tasks, int threads,
                                  std::span<const Cache> caches) {
  const auto order = static_cast<std::uint64_t>(problem.order);
  const auto vector_entries = static_cast<std::uint64_t>(problem.nonzer) + 1;
  // An assembled slab, and its converted form with what fills up slices. A task alone may have half of its matrix
  // assembled again while it converts that, which is a byte more. Where there are two forms, the slab is copied for
  // the first, or the first is there beside the second: the copy is more.
  constexpr std::uint64_t assembled_bytes = sizeof(double) + sizeof(std::int32_t);
  constexpr std::uint64_t converted_bytes = sizeof(double) + sizeof(std::int16_t);
  const std::uint64_t element_bytes = (tries_two_forms(problem, tasks, threads, caches) ? 2 : 1) * assembled_bytes +
                                      converted_bytes + (tasks == 1 ? 1 : 0);
  constexpr std::uint64_t row_bytes = sizeof(std::int64_t) + 2 * sizeof(std::int32_t);  // count, begin, cursor
  return order * vector_entries * vector_entries * element_bytes +
         order * static_cast<std::uint64_t>(grid_cols) * row_bytes;
}

std::uint64_t memory_bytes(const Parameters& problem, int tasks, int threads, std::span<const Cache> caches) {
  const Grid grid(problem.order, tasks);
  const auto order = static_cast<std::uint64_t>(problem.order);
  const auto rows = static_cast<std::uint64_t>(grid.rows());
  const auto cols = static_cast<std::uint64_t>(grid.cols());
  // Each task has three vectors over its columns, and room for at most as many pieces of messages; one vector over
  // its rows with arrivals of cols - 1 pieces at most, or one for another task, and three pieces.
  const std::uint64_t vectors = order * (4 * rows + cols + (cols - 1) + 3) * sizeof(double);
  return matrix_memory_bytes(problem, grid.cols(), tasks, threads, caches) + vectors;
}

}  // namespace nasvm::cg
