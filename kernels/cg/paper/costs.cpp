// What CG's variant `paper` needs, derived from its scheme: messages, bytes, memory.

#include "kernels/cg/paper/square_grid.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/common/central_sum.hpp"

namespace nasvm::cg {
namespace {

using collective::Cost;

/// p.q and r.r of each conjugate gradient step; x.z, z.z and the residual's square.
constexpr std::uint64_t sums_of_outer_step = 2 * inner_steps + 3;
/// One in each conjugate gradient step, and that of the residual.
constexpr std::uint64_t products_of_outer_step = inner_steps + 1;

/// Pieces to the mirrored tasks, partial results to the first task of a row, their sum back: three times a piece to
/// or from all tasks of a row of the square but one.
Cost product_cost(const Parameters& problem, const SquareGrid& square) {
  const auto others = static_cast<std::uint64_t>(square.side() - 1);
  const auto vector_bytes = static_cast<std::uint64_t>(problem.order) * sizeof(double);
  return 3 * others * Cost{static_cast<std::uint64_t>(square.side()), vector_bytes};
}

}  // namespace

Traffic paper_traffic(const Parameters& problem, int tasks) {
  const SquareGrid square(problem.order, tasks);
  const Cost sum = central_sum_cost(square.tasks());
  const Cost outer_step = products_of_outer_step * product_cost(problem, square) + sums_of_outer_step * sum;
  const Cost total = static_cast<std::uint64_t>(problem.outer_steps) * outer_step + sum;  // the first rho
  return {total.bytes, total.messages, true};
}

std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks, int threads, std::span<const Cache> caches) {
  const SquareGrid square(problem.order, tasks);
  // As many columns of blocks as the square has; vectors are copied as often.
  const auto copies = static_cast<std::uint64_t>(square.side());
  constexpr std::uint64_t vectors = 6;  // x, z, r, p, A p, and p over the columns
  const auto order = static_cast<std::uint64_t>(problem.order);
  return matrix_memory_bytes(problem, square.side(), square.tasks(), threads, caches) +
         order * (vectors * copies + 1) * sizeof(double);
}

}  // namespace nasvm::cg
