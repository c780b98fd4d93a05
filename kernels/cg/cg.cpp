#include "kernels/cg/cg.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/cg/choices.hpp"
#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/paper/square_grid.hpp"
#include "kernels/cg/paper/square_solver.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/solver.hpp"
#include "kernels/common/caches.hpp"

namespace nasvm::cg {

namespace {

/// One whole step before the clock starts, as the specification has it, then what is timed, and the verdict.
/// `power_step` gives tasks without work an empty estimate; at rank 0 there is always work.
template <typename PowerStep, typename Reset>
Outcome measure(Comm& comm, const Parameters& problem, const PowerStep& power_step, const Reset& reset) {
  power_step();
  reset();

  Outcome outcome;
  Estimate estimate;
  comm.barrier();
  const TimedRegion region(comm);
  for (int step = 0; step < problem.outer_steps; ++step) estimate = power_step();
  region.stop(outcome);

  std::array<double, 2> found{estimate.zeta, estimate.residual};
  comm.broadcast(found);
  const auto [zeta, residual] = found;
  const double error = std::abs(zeta - problem.zeta) / problem.zeta;
  outcome.verified = error <= tolerance;
  outcome.details = {{"zeta", fmt::format("{:.13f}", zeta)},
                     {"error", fmt::format("{:.1e}", error)},
                     {"residual", fmt::format("{:.3e}", residual)}};
  return outcome;
}

}  // namespace

Outcome solve(Comm& comm, const Parameters& problem, int threads, MakeRecurrence make_recurrence) {
  DistributedMatrix matrix(comm, problem, threads);
  Solver solver(comm, matrix, problem.shift, make_recurrence);
  Outcome outcome = measure(
      comm, problem, [&] { return solver.power_step(); }, [&] { solver.reset(); });
  outcome.choices = matrix.block().choices();
  return outcome;
}

Outcome solve_on_square(Comm& comm, const Parameters& problem, int threads) {
  const SquareGrid square(problem.order, comm.size());
  const auto members = comm.split(square.contains(comm.rank()) ? 0 : -1, comm.rank());
  if (!members) {
    return measure(
        comm, problem, [] { return Estimate{}; }, [] {});
  }
  SquareSolver solver(*members, problem, square, threads);
  Outcome outcome = measure(
      comm, problem, [&] { return solver.power_step(); }, [&] { solver.reset(); });
  outcome.choices = solver.block().choices();
  return outcome;
}

namespace {

template <MakeRecurrence make_recurrence>
Outcome run(Comm& comm, const Problem& problem) {
  return solve(comm, parameters(problem.problem_class), problem.threads, make_recurrence);
}

Outcome run_paper(Comm& comm, const Problem& problem) {
  return solve_on_square(comm, parameters(problem.problem_class), problem.threads);
}

template <auto traffic>
Traffic traffic_of(const Problem& problem, int tasks) {
  return traffic(parameters(problem.problem_class), tasks);
}

/// Of tasks on one host; between hosts there are fewer messages.
template <auto traffic>
Traffic few_rounds_of(const Problem& problem, int tasks) {
  return traffic(parameters(problem.problem_class), tasks, Prefer::few_rounds);
}

/// With the caches of this computer: those of other hosts are taken to be alike.
template <auto bytes>
std::uint64_t memory_of(const Problem& problem, int tasks) {
  return bytes(parameters(problem.problem_class), tasks, problem.threads, caches_here());
}

double mega_operations(const Problem& problem) {
  const Parameters& p = parameters(problem.problem_class);
  const double per_row = p.nonzer * (p.nonzer + 1.0);
  return 2.0 * p.outer_steps * static_cast<double>(p.order) * (3.0 + per_row + inner_steps * (5.0 + per_row) + 3.0) *
         1e-6;
}

std::string size_text(const Problem& problem) { return fmt::format("{}", parameters(problem.problem_class).order); }

constexpr std::array variants{
    KernelVariant{
        .name = "classic",
        .description = "the specified recurrence, two sums over all tasks in a step",
        .run = run<classic_recurrence>,
        .memory_bytes = memory_of<memory_bytes>,
        .traffic = few_rounds_of<classic_traffic>,
        .work = work,
    },
    KernelVariant{
        .name = "merged",
        .description = "the recurrence of Chronopoulos and Gear, both sums of a step at once",
        .run = run<merged_recurrence>,
        .memory_bytes = memory_of<memory_bytes>,
        .traffic = few_rounds_of<merged_traffic>,
        .work = work,
    },
    KernelVariant{
        .name = "paper",
        .description = "that of White et al., 1994: a square of tasks, sums at task 0; the others idle",
        .run = run_paper,
        .memory_bytes = memory_of<paper_memory_bytes>,
        .traffic = traffic_of<paper_traffic>,
        .work = work,
    },
};

}  // namespace

constinit const Kernel kernel{
    .name = "cg",
    .title = "CG",
    .description = "smallest eigenvalue of a sparse matrix: irregular memory access, many short sums over all tasks",
    .classes = class_letters,
    .variants = variants,
    .mega_operations = mega_operations,
    .size_text = size_text,
    .iterations = [](const Problem& p) { return parameters(p.problem_class).outer_steps; },
    .operation_type = "floating point",
    .verification_lines = {" VERIFICATION SUCCESSFUL ", " VERIFICATION FAILED"},
    .choices = choices,
};

}  // namespace nasvm::cg
