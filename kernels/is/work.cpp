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

/// Each ranking, of each key in 4 bytes: read and counted; read and written in its owner's block; read and counted
/// there; its place read and given its rank; read again with its rank, which is written home. Of each key value: a
/// count of one byte and of four on every task, which are written and added up at the root, and a rank.
Work paper_work(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const auto keys = static_cast<double>(p.keys());
  const auto values = static_cast<double>(p.max_key());
  const double counts = values * tasks;
  const double keys_touched = 1 + 2 + 1 + 2 + 3;
  Work work;
  work.operations = iterations * (2 * keys + counts + values);
  work.bytes = iterations * (sizeof(Key) * keys * keys_touched + counts * (1 + 2 * sizeof(std::uint32_t)) +
                             sizeof(std::uint32_t) * values);
  work.working_set_bytes =
      4 * sizeof(Key) * keys + counts * (1 + sizeof(std::uint32_t)) + sizeof(std::uint32_t) * values;
  return work;
}

Work histogram_work(const Problem& problem, int tasks) { return work(parameters(problem.problem_class), 0, tasks); }

}  // namespace nasvm::is
