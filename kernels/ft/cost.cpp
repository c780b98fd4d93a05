#include "kernels/ft/cost.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/partition.hpp"

namespace nasvm::ft {
namespace {

/// Beside the fields, for each task: transform blocks of its threads, plans and tables, stacks.
constexpr std::uint64_t task_overhead_bytes = std::uint64_t{2} << 20;

/// Of `items` distributed ones, the tasks that get any.
std::uint64_t owners(std::int64_t items, int tasks) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>(items, tasks));
}

}  // namespace

double mega_operations(const ProblemClass& problem) {
  const auto points = static_cast<double>(problem.grid.points());
  const double log_points = std::log(points);
  const double each = 5.23518 + 7.21113 * log_points;
  return points * (14.8157 + 7.19641 * log_points + each * problem.iterations()) * 1e-6;
}

std::uint64_t memory_bytes(const ProblemClass& problem, int tasks) {
  const std::uint64_t fields = tasks == 1 ? 2 : 3;
  const auto points = static_cast<std::uint64_t>(problem.grid.points());
  return fields * points * sizeof(Complex) + static_cast<std::uint64_t>(tasks) * task_overhead_bytes;
}

collective::Cost transpose_cost(const Grid& grid, int tasks) {
  std::int64_t moving = grid.ny * grid.nz;
  for (int rank = 0; rank < tasks; ++rank) {
    moving -= share(grid.nz, tasks, rank).size() * share(grid.ny, tasks, rank).size();
  }
  // The owners of anything are the first ranks in both layouts, so the smaller set is the pairs with oneself.
  const std::uint64_t senders = owners(grid.nz, tasks);
  const std::uint64_t receivers = owners(grid.ny, tasks);
  return {senders * receivers - std::min(senders, receivers),
          static_cast<std::uint64_t>(moving * grid.nx) * sizeof(Complex)};
}

Traffic traffic(const ProblemClass& problem, int tasks) {
  const auto iterations = static_cast<std::uint64_t>(problem.iterations());
  const collective::Cost total = (1 + iterations) * transpose_cost(problem.grid, tasks) +
                                 iterations * collective::reduce_cost(tasks, sizeof(Complex));
  return {.volume_bytes = total.bytes, .messages = total.messages, .exact = true};
}

}  // namespace nasvm::ft
