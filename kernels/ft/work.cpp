// What FT has to do at least (docs/roofline.md).

#include "kernels/ft/ft.hpp"

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {
namespace {

/// The initial field is made and transformed along x and y plane by plane, and written; transforms along z read and
/// write it.
constexpr double sweeps_at_start = 1 + 2;
/// Each iteration: evolving and transforming along z reads the spectrum and writes a second field; transforms along x
/// and y read that plane by plane, and the checksum takes what it needs of each plane.
constexpr double sweeps_per_iteration = 2 + 1;
/// In the paper's order the spectrum stays in planes: it is evolved and transformed along x and y into a second
/// field, which transforms along z read and write.
constexpr double sweeps_per_iteration_of_paper = 2 + 2;

Work work_of(const Problem& problem, double sweeps_of_iteration) {
  const Parameters& p = parameters(problem.problem_class);
  const double field_bytes = static_cast<double>(p.grid.points()) * sizeof(Complex);
  Work work;
  work.operations = 1e6 * kernel.mega_operations(problem);
  work.bytes = field_bytes * (sweeps_at_start + sweeps_of_iteration * p.iterations());
  work.working_set_bytes = 2 * field_bytes;
  return work;
}

}  // namespace

Work work(const Problem& problem, int) { return work_of(problem, sweeps_per_iteration); }

Work paper_work(const Problem& problem, int) { return work_of(problem, sweeps_per_iteration_of_paper); }

}  // namespace nasvm::ft
