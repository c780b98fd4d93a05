// What IS has to do at least (docs/roofline.md).

#include "kernels/is/is.hpp"

#include <cstdint>

#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// Each ranking: keys are read and counted. A key that another task owns is written for it, and read and counted
/// there. For each key value, counts of one byte are read, one or (histogram) each task's, and its rank is written.
Work work(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const bool moving = tasks > 1 && problem.variant != "histogram";
  const double keys = static_cast<double>(p.keys());
  const double moved = moving ? keys * (tasks - 1) / tasks : 0;
  const double values = static_cast<double>(p.max_key());
  const double counts = values * (moving ? 1 : tasks);
  Work work;
  work.operations = iterations * (keys * (moving ? 2 : 1) + counts);
  work.bytes = iterations * (sizeof(Key) * (keys + 2 * moved) + counts + sizeof(std::uint32_t) * values);
  work.working_set_bytes = sizeof(Key) * (keys + moved) + counts + sizeof(std::uint32_t) * values;
  return work;
}

}  // namespace nasvm::is
