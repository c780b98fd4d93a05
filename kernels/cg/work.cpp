// What CG has to do at least (docs/roofline.md).

#include "kernels/cg/cg.hpp"

#include "kernels/cg/problem.hpp"

namespace nasvm::cg {
namespace {

/// A matrix element is a double and a column, for which 16 bits within a block of columns are enough.
constexpr double element_bytes = sizeof(double) + 2;
/// Each inner step, when everything that can be is done in one sweep: the product reads p and writes q, the step
/// along p reads p, q, z, r and writes z, r, the next direction reads r, p and writes p.
constexpr double vectors_per_step = 2 + 6 + 3;
/// x, z, r, p, q.
constexpr double vectors = 5;

}  // namespace

Work work(const Problem& problem, int) {
  const Parameters& p = parameters(problem.problem_class);
  const double order = static_cast<double>(p.order);
  const double elements = order * p.nonzer * (p.nonzer + 1.0);  // NASA's estimate; the matrix has 0.3 % more
  const double per_step = elements * element_bytes + vectors_per_step * order * sizeof(double);
  const double per_residual = elements * element_bytes + 3 * order * sizeof(double);
  Work work;
  work.operations = 1e6 * kernel.mega_operations(problem);
  work.bytes = p.outer_steps * (inner_steps * per_step + per_residual);
  work.working_set_bytes = elements * element_bytes + vectors * order * sizeof(double);
  return work;
}

}  // namespace nasvm::cg
