#include "kernels/cg/cg.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/solver.hpp"

namespace nasvm::cg {

Outcome solve(Comm& comm, const Parameters& problem, int threads, MakeRecurrence make_recurrence) {
  DistributedMatrix matrix(comm, problem, threads);
  Solver solver(comm, matrix, problem.shift, make_recurrence);
  solver.power_step();  // The specification has one whole step before the clock starts.
  solver.reset();

  Outcome outcome;
  Estimate estimate;
  comm.barrier();
  const TimedRegion region(comm);
  for (int step = 0; step < problem.outer_steps; ++step) estimate = solver.power_step();
  region.stop(outcome);

  const double error = std::abs(estimate.zeta - problem.zeta) / problem.zeta;
  outcome.verified = error <= tolerance;
  outcome.details = {{"zeta", fmt::format("{:.13f}", estimate.zeta)},
                     {"error", fmt::format("{:.1e}", error)},
                     {"residual", fmt::format("{:.3e}", estimate.residual)}};
  return outcome;
}

namespace {

template <MakeRecurrence make_recurrence>
Outcome run(Comm& comm, const Problem& problem) {
  return solve(comm, parameters(problem.problem_class), problem.threads, make_recurrence);
}

template <auto traffic>
Traffic traffic_of_class(const Problem& problem, int tasks) {
  return traffic(parameters(problem.problem_class), tasks);
}

std::uint64_t memory_of_class(const Problem& problem, int tasks) {
  return memory_bytes(parameters(problem.problem_class), tasks);
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
        .memory_bytes = memory_of_class,
        .traffic = traffic_of_class<classic_traffic>,
        .work = work,
    },
    KernelVariant{
        .name = "merged",
        .description = "the recurrence of Chronopoulos and Gear, both sums of a step at once",
        .run = run<merged_recurrence>,
        .memory_bytes = memory_of_class,
        .traffic = traffic_of_class<merged_traffic>,
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
};

}  // namespace nasvm::cg
