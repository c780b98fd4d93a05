// What IS has to do at least (docs/roofline.md).

#include "kernels/is/is.hpp"

#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// Each ranking: keys are read and counted; counters are read and written when they are added up. Keys that move are
/// read and written in the order of their owners first, and counted there.
Work work(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const bool moving = tasks > 1 && problem.variant != "histogram";
  const double keys = static_cast<double>(p.keys());
  const double counters = static_cast<double>(p.max_key()) * (moving ? 1 : tasks);
  const double sweeps = moving ? 3 : 1;
  Work work;
  work.operations = iterations * (keys * (moving ? 2 : 1) + counters);
  work.bytes = iterations * sizeof(Key) * (sweeps * keys + 2 * counters);
  work.working_set_bytes = sizeof(Key) * ((moving ? 2 : 1) * keys + counters);
  return work;
}

}  // namespace nasvm::is
