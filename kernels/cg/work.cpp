// What CG has to do at least (docs/roofline.md).

#include "kernels/cg/cg.hpp"

#include "kernels/cg/problem.hpp"
#include "kernels/cg/slab.hpp"

namespace nasvm::cg {
namespace {

/// A matrix element is a double and a column, for which 16 bits within a block of columns are enough.
constexpr double element_bytes = sizeof(double) + 2;
/// Each inner step, when everything that can be is done in one sweep: the product reads p and writes q, the step
/// along p reads p, q, z, r and writes z, r, the next direction reads r, p and writes p.
constexpr double vectors_per_step = 2 + 6 + 3;
/// x, z, r, p, q.
constexpr double vectors = 5;

/// Bytes of the matrix that a product reads. Each thread's slab has a square as wide as it is high (with several
/// columns in the grid: at least that), of which half may suffice.
double matrix_bytes(double elements, int slabs) {
  const double spared = symmetry_pays(elements / slabs) ? 0.5 / slabs : 0.0;
  return elements * element_bytes * (1 - spared);
}

}  // namespace

Work work(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const double order = static_cast<double>(p.order);
  const double elements = order * p.nonzer * (p.nonzer + 1.0);  // NASA's estimate; the matrix has 0.3 % more
  const double matrix = matrix_bytes(elements, tasks * problem.threads);
  const double per_step = matrix + vectors_per_step * order * sizeof(double);
  const double per_residual = matrix + 3 * order * sizeof(double);
  Work work;
  work.operations = 1e6 * kernel.mega_operations(problem);
  work.bytes = p.outer_steps * (inner_steps * per_step + per_residual);
  work.working_set_bytes = matrix + vectors * order * sizeof(double);
  return work;
}

}  // namespace nasvm::cg
