// The benchmark IS: set-up, the ten rankings, verification. How a ranking goes is in moving.cpp and histograms.cpp.

#include "kernels/is/is.hpp"

#include <array>
#include <string>

#include "kernels/is/keys.hpp"
#include "kernels/is/problem.hpp"
#include "kernels/is/ranking.hpp"
#include "kernels/is/verify.hpp"
#include "vm/status.hpp"

namespace nasvm::is {
namespace {

constexpr std::array<std::string_view, 2> variants{"tuned", "histogram"};

bool moves_keys(const std::string& variant) {
  if (variant.empty() || variant == "tuned") return true;
  if (variant == "histogram") return false;
  throw UsageError("is has no variant '" + variant + "'; it has tuned and histogram");
}

/// One task's side of the problem: its keys and the way to rank them.
class Benchmark {
 public:
  Benchmark(Comm& comm, const Problem& problem)
      : comm_(comm),
        parameters_(parameters(problem.problem_class)),
        ranking_((moves_keys(problem.variant) ? ranking_by_moving_keys : ranking_by_histograms)(comm, parameters_,
                                                                                                problem.threads)),
        positions_(share(parameters_.keys(), comm.size(), comm.rank())),
        keys_(generate_keys(parameters_, positions_, problem.threads)) {}

  /// Changes two keys, ranks all, and returns how many test keys this task found at their right ranks.
  int rank(int iteration) {
    change_keys(parameters_, iteration, positions_, keys_.span());
    TestValues test_values = held_test_values(parameters_, positions_, keys_.span());
    ranking_->rank(keys_.span(), test_values);
    return count_right_ranks(parameters_, iteration, test_values, ranking_->ranks());
  }

  bool in_order() { return check_order(comm_, parameters_, keys_.span(), *ranking_); }

 private:
  Comm& comm_;
  const Parameters& parameters_;
  std::unique_ptr<Ranking> ranking_;
  Range positions_;
  LargeBuffer<Key> keys_;
};

Outcome run(Comm& comm, const Problem& problem) {
  Benchmark benchmark(comm, problem);
  Outcome outcome;
  benchmark.rank(1);  // untimed: touches all memory and opens all connections

  comm.barrier();
  const TimedRegion timed(comm);
  int right_ranks = 0;
  for (int iteration = 1; iteration <= iterations; ++iteration) right_ranks += benchmark.rank(iteration);
  timed.stop(outcome);

  std::array<int, 2> passed{right_ranks, benchmark.in_order() ? 1 : 0};
  comm.allreduce(passed);
  outcome.verified = passed[0] == tests * iterations && passed[1] == comm.size();
  outcome.details = {{"test ranks right", std::to_string(passed[0]) + " of " + std::to_string(tests * iterations)},
                     {"tasks in order", std::to_string(passed[1]) + " of " + std::to_string(comm.size())}};
  return outcome;
}

Traffic traffic(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  const bool moving = moves_keys(problem.variant);
  const collective::Cost once = moving ? moving_cost(p, tasks, problem.threads) : histogram_cost(p, tasks);
  const collective::Cost total = iterations * once;
  return {total.bytes, total.messages, !moving || tasks == 1};
}

double mega_operations(const Problem& problem) {
  return 1e-6 * iterations * static_cast<double>(parameters(problem.problem_class).keys());
}

std::uint64_t memory_bytes(const Problem& problem, int tasks) {
  const Parameters& p = parameters(problem.problem_class);
  return moves_keys(problem.variant) ? moving_memory_bytes(p, tasks, problem.threads)
                                     : histogram_memory_bytes(p, tasks, problem.threads);
}

}  // namespace

constinit const Kernel kernel{
    .name = "is",
    .title = "IS",
    .description = "ranks small integers by counting: keys move to the owners of their ranges in every ranking",
    .classes = class_letters,
    .variants = variants,
    .run = run,
    .mega_operations = mega_operations,
    .memory_bytes = memory_bytes,
    .traffic = traffic,
    .work = work,
    .size_text = [](const Problem& problem) { return std::to_string(parameters(problem.problem_class).keys()); },
    .iterations = [](const Problem&) { return iterations; },
    .operation_type = "keys ranked",
};

}  // namespace nasvm::is
