#include "kernels/mg/mg.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/mg/multigrid.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

Outcome run_class(Comm& comm, const Problem& problem) {
  return solve(comm, parameters(problem.problem_class), problem.threads);
}

double mega_operations(const Problem& problem) {
  const Parameters& p = parameters(problem.problem_class);
  return 58.0 * p.iterations * std::pow(p.edge(), 3) * 1e-6;
}

std::uint64_t memory_of_class(const Problem& problem, int tasks) {
  return memory_bytes(parameters(problem.problem_class), tasks, problem.threads);
}

Traffic traffic_of_class(const Problem& problem, int tasks) {
  return traffic(parameters(problem.problem_class), tasks);
}

std::string size_text(const Problem& problem) {
  return fmt::format("{0}x{0}x{0}", parameters(problem.problem_class).edge());
}

constexpr std::array variants{KernelVariant{
    .name = "tuned",
    .description = "residual, smoothing and restriction in one sweep over the finest grid",
    .run = run_class,
    .memory_bytes = memory_of_class,
    .traffic = traffic_of_class,
    .work = work,
}};

int iterations(const Problem& problem) { return parameters(problem.problem_class).iterations; }

}  // namespace

Outcome solve(Comm& comm, const Parameters& problem, int threads) {
  Multigrid multigrid(comm, problem.levels, problem.smoother, threads);
  const Charges charges = find_charges(comm, problem.edge(), multigrid.slab(), threads);
  // One untimed cycle touches everything once.
  multigrid.start(charges);
  multigrid.residual();
  multigrid.v_cycle();
  multigrid.choose_strips();
  multigrid.start(charges);

  Outcome outcome;
  comm.barrier();
  const TimedRegion region(comm);
  multigrid.residual();
  static_cast<void>(multigrid.residual_norm());
  for (int iteration = 0; iteration < problem.iterations; ++iteration) multigrid.v_cycle();
  const double norm = multigrid.residual_norm();
  region.stop(outcome);

  const double error = std::abs(norm - problem.l2_norm) / problem.l2_norm;
  outcome.verified = error <= tolerance;
  outcome.details = {{"L2 norm", fmt::format("{:.13e}", norm)}, {"error", fmt::format("{:.1e}", error)}};
  return outcome;
}

constinit const Kernel kernel{
    .name = "mg",
    .title = "MG",
    .description = "V-cycles of a multigrid solver for a Poisson problem: memory bandwidth, short and long messages",
    .classes = class_letters,
    .variants = variants,
    .mega_operations = mega_operations,
    .size_text = size_text,
    .iterations = iterations,
    .operation_type = "floating point",
    .verification_lines = {" VERIFICATION SUCCESSFUL ", " VERIFICATION FAILED"},
};

}  // namespace nasvm::mg
