#include "kernels/ft/costs.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/partition.hpp"
#include "kernels/ft/fused/pencils.hpp"
#include "kernels/ft/fused/planes.hpp"

namespace nasvm::ft {
namespace {

/// Beside the fields, for each task: plans and tables, stacks, and FFTW's transform blocks.
constexpr std::uint64_t task_overhead_bytes = std::uint64_t{2} << 20;

/// Of `items` distributed ones, the tasks that get any.
std::uint64_t owners(std::int64_t items, int tasks) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>(items, tasks));
}

/// Messages that carry `parts` rows of each of `items` items to one task.
std::uint64_t messages(const TransposeShape& shape, std::int64_t items, std::int64_t parts) {
  const auto of_chunk = [&](std::int64_t in_chunk) {
    return (in_chunk * parts * shape.row_doubles + shape.message_doubles - 1) / shape.message_doubles;
  };
  return static_cast<std::uint64_t>(items / shape.chunk * of_chunk(shape.chunk) + of_chunk(items % shape.chunk));
}

}  // namespace

double mega_operations(const Parameters& problem) {
  const auto points = static_cast<double>(problem.grid.points());
  const double log_points = std::log(points);
  const double each = 5.23518 + 7.21113 * log_points;
  return points * (14.8157 + 7.19641 * log_points + each * problem.iterations()) * 1e-6;
}

std::uint64_t memory_bytes(const Parameters& problem, EngineKind engine, int tasks, int threads) {
  const Grid& grid = problem.grid;
  std::uint64_t bytes = static_cast<std::uint64_t>(tasks) * task_overhead_bytes;
  std::uint64_t fields = tasks == 1 ? 2 : 3;
  if (engine == EngineKind::fused) {
    // V; what is transposed and becomes X, and buffers. Twice the former in place of buffers, for windows, is taken
    // only where there is memory enough.
    fields = 1;
    const TransposeShape first = to_frequency_shape(grid, tasks, threads);
    const TransposeShape back = to_space_shape(grid, tasks, threads);
    std::int64_t doubles =
        std::max(PlaneTransform(grid).scratch_doubles(), PencilTransform(grid).scratch_doubles()) * threads * tasks;
    for (int rank = 0; rank < tasks; ++rank) {
      doubles += std::max(result_doubles(first, tasks, rank), result_doubles(back, tasks, rank)) +
                 std::max(buffers_doubles(first, tasks, rank), buffers_doubles(back, tasks, rank));
    }
    bytes += static_cast<std::uint64_t>(doubles) * sizeof(double);
  }
  return fields * static_cast<std::uint64_t>(grid.points()) * sizeof(Complex) + bytes;
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

collective::Cost chunked_transpose_cost(const TransposeShape& shape, int tasks) {
  collective::Cost cost;
  for (int sender = 0; sender < tasks; ++sender) {
    const std::int64_t items = share(shape.items, tasks, sender).size();
    const std::int64_t own_parts = share(shape.parts, tasks, sender).size();
    for (int receiver = 0; receiver < tasks; ++receiver) {
      if (receiver != sender) cost.messages += messages(shape, items, share(shape.parts, tasks, receiver).size());
    }
    cost.bytes += static_cast<std::uint64_t>(items * (shape.parts - own_parts) * shape.row_doubles) * sizeof(double);
  }
  return cost;
}

Traffic traffic(const Parameters& problem, EngineKind engine, int tasks, int threads) {
  const auto iterations = static_cast<std::uint64_t>(problem.iterations());
  collective::Cost total = iterations * collective::reduce_cost(tasks, sizeof(Complex));
  if (engine == EngineKind::fused) {
    total = total + chunked_transpose_cost(to_frequency_shape(problem.grid, tasks, threads), tasks) +
            iterations * chunked_transpose_cost(to_space_shape(problem.grid, tasks, threads), tasks);
  } else {
    const auto times = static_cast<std::uint64_t>(transposes(engine)) * (1 + iterations);
    total = total + times * transpose_cost(problem.grid, tasks);
  }
  return {.volume_bytes = total.bytes, .messages = total.messages, .exact = true};
}

}  // namespace nasvm::ft
