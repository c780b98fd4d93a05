// What CG has to do at least (docs/roofline.md).

#include "kernels/cg/cg.hpp"

#include "kernels/cg/common_block.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/tiled_slices.hpp"

namespace nasvm::cg {
namespace {

/// Each inner step, when everything that can be is done in one sweep: the product reads p and writes q, the step
/// along p reads p, q, z, r and writes z, r, the next direction reads r, p and writes p.
constexpr double vectors_per_step = 2 + 6 + 3;
/// x, z, r, p, q.
constexpr double vectors = 5;

/// Bytes of the matrix that a product reads. Each thread's slab has a square as wide as it is high (with several
/// columns in the grid: at least that), of which half suffices, as it does of the block that two tasks have in
/// common, which is half of their matrix, where they halve that. A slab that fits into a core's own cache is read
/// from there either way; 1 MB is taken for that, the same on every machine, so that bounds can be compared.
double matrix_bytes(double elements, int slabs, bool halves_common) {
  constexpr double own_cache_bytes = 0x1p20;
  double spared = elements * stored_element_bytes / slabs > own_cache_bytes ? 0.5 / slabs : 0.0;
  if (halves_common) spared += 0.25;
  return elements * stored_element_bytes * (1 - spared);
}

}  // namespace

Work work(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const double order = static_cast<double>(p.order);
  const double elements = order * p.nonzer * (p.nonzer + 1.0);  // NASA's estimate; the matrix has 0.3 % more
  const double matrix = matrix_bytes(elements, tasks * problem.threads,
                                     problem.variant != "paper" && halves_common_block(p, tasks, Prefer::few_rounds));
  const double per_step = matrix + vectors_per_step * order * sizeof(double);
  const double per_residual = matrix + 3 * order * sizeof(double);
  Work work;
  work.operations = 1e6 * kernel.mega_operations(problem);
  work.bytes = p.outer_steps * (inner_steps * per_step + per_residual);
  work.working_set_bytes = matrix + vectors * order * sizeof(double);
  return work;
}

}  // namespace nasvm::cg
