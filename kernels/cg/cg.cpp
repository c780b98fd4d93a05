#include "kernels/cg/cg.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/solver.hpp"
#include "vm/status.hpp"

namespace nasvm::cg {
namespace {

constexpr std::array<std::pair<char, Parameters>, 8> classes{{
    {'S', {1400, 7, 15, 10.0, 8.5971775078648}},
    {'W', {7000, 8, 15, 12.0, 10.362595087124}},
    {'A', {14000, 11, 15, 20.0, 17.130235054029}},
    {'B', {75000, 13, 75, 60.0, 22.712745482631}},
    {'C', {150000, 15, 75, 110.0, 28.973605592845}},
    {'D', {1500000, 21, 100, 500.0, 52.514532105794}},
    {'E', {9000000, 26, 100, 1500.0, 77.522164599383}},
    {'F', {54000000, 31, 100, 5000.0, 107.3070826433}},
}};

constexpr std::array<std::string_view, 1> variants{"tuned"};

}  // namespace

const Parameters& parameters(char problem_class) {
  for (const auto& [letter, problem] : classes) {
    if (letter == problem_class) return problem;
  }
  throw UsageError(fmt::format("cg has no class '{}'; its classes are {}", problem_class, class_letters));
}

Outcome solve(Comm& comm, const Parameters& problem, int threads) {
  DistributedMatrix matrix(comm, problem, threads);
  Solver solver(comm, matrix, problem.shift);
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

Outcome run(Comm& comm, const Problem& problem) {
  return solve(comm, parameters(problem.problem_class), problem.threads);
}

double mega_operations(const Problem& problem) {
  const Parameters& p = parameters(problem.problem_class);
  const double per_row = p.nonzer * (p.nonzer + 1.0);
  return 2.0 * p.outer_steps * static_cast<double>(p.order) * (3.0 + per_row + inner_steps * (5.0 + per_row) + 3.0) *
         1e-6;
}

std::string size_text(const Problem& problem) { return fmt::format("{}", parameters(problem.problem_class).order); }

}  // namespace

constinit const Kernel kernel{
    .name = "cg",
    .title = "CG",
    .description = "smallest eigenvalue of a sparse matrix: irregular memory access, many short sums over all tasks",
    .classes = class_letters,
    .variants = variants,
    .run = run,
    .mega_operations = mega_operations,
    .memory_bytes = [](const Problem& p, int tasks) { return memory_bytes(parameters(p.problem_class), tasks); },
    .traffic = [](const Problem& p, int tasks) { return traffic(parameters(p.problem_class), tasks); },
    .work = work,
    .size_text = size_text,
    .iterations = [](const Problem& p) { return parameters(p.problem_class).outer_steps; },
    .operation_type = "floating point",
};

}  // namespace nasvm::cg
