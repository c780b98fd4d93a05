// What IS has to do at least (docs/roofline.md).

#include "kernels/is/is.hpp"

#include <cstdint>

#include "kernels/is/problem.hpp"

namespace nasvm::is {

namespace {

/// Each ranking: keys are read and counted. A key that another task owns is written for it, and read and counted
/// there. For each key value, counts of one byte are read in `count_arrays` arrays, and its rank is written.
Work work(const Parameters& p, double moved_share, int count_arrays) {
  const double keys = static_cast<double>(p.keys());
  const double moved = keys * moved_share;
  const double values = static_cast<double>(p.max_key());
  const double counts = values * count_arrays;
  const int countings = moved > 0 ? 2 : 1;
  Work work;
  work.operations = iterations * (keys * countings + counts);
  work.bytes = iterations * (sizeof(Key) * (keys + 2 * moved) + counts + sizeof(std::uint32_t) * values);
  work.working_set_bytes = sizeof(Key) * (keys + moved) + counts + sizeof(std::uint32_t) * values;
  return work;
}

}  // namespace

Work moving_work(const Problem& problem, int tasks) {
  return work(parameters(problem.problem_class), (tasks - 1.0) / tasks, 1);
}

Work histogram_work(const Problem& problem, int tasks) { return work(parameters(problem.problem_class), 0, tasks); }

}  // namespace nasvm::is
