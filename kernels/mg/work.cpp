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
/// Each coarser grid: the residual is written; smoothing reads it and writes u; on the way up both are read and u is
/// written.
constexpr double coarse_bytes = 6 * sizeof(double);
/// Each of the two norms reads u and v.
constexpr double norm_bytes = 2 * sizeof(double);

}  // namespace

Work work(const Problem& problem, int) {
  const ProblemClass& p = problem_class(problem.problem_class);
  const double edge = p.edge();
  const double points = edge * edge * edge;
  double coarse_points = 0;
  for (int level = 1; level < p.levels; ++level) {
    const double coarse_edge = 1 << level;
    coarse_points += coarse_edge * coarse_edge * coarse_edge;
  }
  Work work;
  work.operations = operations_per_point * p.iterations * points;
  work.bytes = p.iterations * (fine_bytes * points + coarse_bytes * coarse_points) + 2 * norm_bytes * points;
  work.working_set_bytes = 2 * sizeof(double) * (points + coarse_points);
  return work;
}

}  // namespace nasvm::mg
