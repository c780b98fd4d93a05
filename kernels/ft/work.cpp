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

}  // namespace

Work work(const Problem& problem, int) {
  const Parameters& p = parameters(problem.problem_class);
  const double field_bytes = static_cast<double>(p.grid.points()) * sizeof(Complex);
  Work work;
  work.operations = 1e6 * kernel.mega_operations(problem);
  work.bytes = field_bytes * (sweeps_at_start + sweeps_per_iteration * p.iterations());
  work.working_set_bytes = 2 * field_bytes;
  return work;
}

}  // namespace nasvm::ft
