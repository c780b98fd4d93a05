// What MG has to do at least (docs/roofline.md).

#include "kernels/mg/mg.hpp"

#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

/// By NASA's count, for each point of the finest grid and each cycle, all coarser grids included.
constexpr double operations_per_point = 58;
/// Finest grid, each cycle: one sweep that prolongates, smooths and restricts reads u and v and writes u. The
/// residual stays in the cache.
constexpr double fine_bytes = 3 * sizeof(double);
/// Each coarser grid: the residual is written, read when it is restricted, and read by the sweep, which writes u; u
/// is read when it is prolongated.
constexpr double coarse_bytes = 5 * sizeof(double);
/// The first residual reads u and v; the last comes out of the last sweep.
constexpr double first_residual_bytes = 2 * sizeof(double);

}  // namespace

Work work(const Problem& problem, int) {
  const Parameters& p = parameters(problem.problem_class);
  const double edge = p.edge();
  const double points = edge * edge * edge;
  double coarse_points = 0;
  for (int level = 1; level < p.levels; ++level) {
    const double coarse_edge = 1 << level;
    coarse_points += coarse_edge * coarse_edge * coarse_edge;
  }
  Work work;
  work.operations = operations_per_point * p.iterations * points;
  work.bytes = p.iterations * (fine_bytes * points + coarse_bytes * coarse_points) + first_residual_bytes * points;
  work.working_set_bytes = 2 * sizeof(double) * (points + coarse_points);
  return work;
}

}  // namespace nasvm::mg
