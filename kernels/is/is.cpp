// The benchmark IS: set-up, the ten rankings, verification. How a ranking goes is in moving.cpp, histograms.cpp and
// paper.cpp.

#include "kernels/is/is.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/is/choices.hpp"
#include "kernels/is/keys.hpp"
#include "kernels/is/problem.hpp"
#include "kernels/is/ranking.hpp"
#include "kernels/is/verify.hpp"

namespace nasvm::is {
namespace {

/// One task's side of the problem: its keys and the way to rank them.
class Benchmark {
 public:
  Benchmark(Comm& comm, const Problem& problem, MakeRanking make_ranking)
      : comm_(comm),
        parameters_(parameters(problem.problem_class)),
        ranking_(make_ranking(comm, parameters_, problem.threads)),
        positions_(share(parameters_.keys(), comm.size(), comm.rank())),
        held_tests_(held_tests(parameters_, positions_)),
        threads_(problem.threads),
        keys_(generate_keys(parameters_, positions_, threads_)) {}

  /// Changes two keys, ranks all, and returns how many test keys this task found at their right ranks.
  int rank(int iteration) {
    change_keys(parameters_, iteration, positions_, keys_.span());
    return count_right_ranks(parameters_, iteration, ranking_->rank(keys_.span(), held_tests_));
  }

  void warm_up() {
    change_keys(parameters_, 1, positions_, keys_.span());
    ranking_->warm_up(keys_.span(), held_tests_);
  }
  [[nodiscard]] TuningChoices choices() const { return ranking_->choices(); }

  /// The keys as they are between two rankings, and how many test keys were right, over all tasks.
  KernelState state(std::int64_t& right_ranks) {
    const std::uint64_t first = static_cast<std::uint64_t>(positions_.begin) * sizeof(Key);
    return {.layout = "keys, in the order in which they are generated",
            .array_bytes = static_cast<std::uint64_t>(parameters_.keys()) * sizeof(Key),
            .pieces = {{first, std::as_writable_bytes(keys_.span())}},
            .numbers = std::as_writable_bytes(std::span(&right_ranks, 1))};
  }

  /// After a restart: whether this task's keys were what they must be before that ranking. Then they are.
  bool correct(int iteration) { return correct_keys(parameters_, iteration, positions_, keys_.span(), threads_); }

  bool in_order() { return check_order(comm_, parameters_, keys_.span(), *ranking_); }

 private:
  Comm& comm_;
  const Parameters& parameters_;
  std::unique_ptr<Ranking> ranking_;
  Range positions_;
  HeldTests held_tests_;
  int threads_;
  LargeBuffer<Key> keys_;
};

template <MakeRanking make_ranking>
Outcome run(Comm& comm, const Problem& problem) {
  Benchmark benchmark(comm, problem, make_ranking);
  Outcome outcome;
  benchmark.warm_up();  // untimed

  std::int64_t right_before = 0;  // of all tasks, until a restart
  outcome.first_iteration = first_iteration(problem.checkpoints, [&] { return benchmark.state(right_before); });
  const bool restarted = outcome.first_iteration > 1;
  // What a disk has spoilt shows in the verification, and is not ranked.
  const bool restored = !restarted || benchmark.correct(outcome.first_iteration);
  right_before = std::clamp<std::int64_t>(right_before, 0, tests * iterations);

  comm.barrier();
  TimedRegion timed(comm);
  int right_ranks = comm.rank() == 0 ? static_cast<int>(right_before) : 0;
  for (int iteration = outcome.first_iteration; iteration <= iterations; ++iteration) {
    right_ranks += benchmark.rank(iteration);
    std::int64_t right_so_far = 0;
    checkpoint_if_due(problem.checkpoints, timed, iteration, iterations, [&] {
      right_so_far = comm.allreduce_value(right_ranks);
      return benchmark.state(right_so_far);
    });
  }
  timed.stop(outcome);

  std::array<int, 3> passed{right_ranks, benchmark.in_order() ? 1 : 0, restored ? 1 : 0};
  comm.allreduce(passed);
  outcome.verified = passed[0] == tests * iterations && passed[1] == comm.size() && passed[2] == comm.size();
  outcome.details = {{"test ranks right", std::to_string(passed[0]) + " of " + std::to_string(tests * iterations)},
                     {"tasks in order", std::to_string(passed[1]) + " of " + std::to_string(comm.size())}};
  if (restarted) {
    const std::string of_all = std::to_string(passed[2]) + " of " + std::to_string(comm.size());
    outcome.details.emplace_back("tasks with right keys at the restart", of_all);
  }
  outcome.choices = benchmark.choices();
  return outcome;
}

Traffic moving_traffic(const Problem& problem, int tasks) {
  const collective::Cost total = iterations * moving_cost(parameters(problem.problem_class), tasks, problem.threads);
  return {total.bytes, total.messages, tasks == 1};
}

Traffic histogram_traffic(const Problem& problem, int tasks) {
  const collective::Cost total = iterations * histogram_cost(parameters(problem.problem_class), tasks);
  return {total.bytes, total.messages, true};
}

Traffic paper_traffic(const Problem& problem, int tasks) {
  const collective::Cost total = iterations * paper_cost(parameters(problem.problem_class), tasks);
  return {total.bytes, total.messages, tasks == 1};
}

double mega_operations(const Problem& problem) {
  return 1e-6 * iterations * static_cast<double>(parameters(problem.problem_class).keys());
}

template <auto memory_bytes>
std::uint64_t memory_of_class(const Problem& problem, int tasks) {
  return memory_bytes(parameters(problem.problem_class), tasks, problem.threads);
}

constexpr std::array variants{
    KernelVariant{
        .name = "tuned",
        .description = "keys move to the owners of their ranges",
        .run = run<ranking_by_moving_keys>,
        .memory_bytes = memory_of_class<moving_memory_bytes>,
        .traffic = moving_traffic,
        .work = moving_work,
        .checkpoints = true,
    },
    KernelVariant{
        .name = "histogram",
        .description = "keys stay, their counts are added up over all tasks",
        .run = run<ranking_by_histograms>,
        .memory_bytes = memory_of_class<histogram_memory_bytes>,
        .traffic = histogram_traffic,
        .work = histogram_work,
        .checkpoints = true,
    },
    KernelVariant{
        .name = "paper",
        .description = "as on PVM in 1994: counts to a root, keys to the owners of ranges, ranks back to the keys",
        .run = run<ranking_as_in_paper>,
        .memory_bytes = memory_of_class<paper_memory_bytes>,
        .traffic = paper_traffic,
        .work = paper_work,
        .checkpoints = true,
    },
};

}  // namespace

constinit const Kernel kernel{
    .name = "is",
    .title = "IS",
    .description = "ranks small integers by counting: keys move to the owners of their ranges in every ranking",
    .classes = class_letters,
    .variants = variants,
    .mega_operations = mega_operations,
    .size_text = [](const Problem& problem) { return std::to_string(parameters(problem.problem_class).keys()); },
    .iterations = [](const Problem&) { return iterations; },
    .operation_type = "keys ranked",
    .choices = choices,
};

}  // namespace nasvm::is
