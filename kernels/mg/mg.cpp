#include "kernels/mg/mg.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/mg/choices.hpp"
#include "kernels/mg/multigrid.hpp"
#include "kernels/mg/paper/ring_multigrid.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

constexpr std::array kernel_parameters{KernelParameter{
    .name = "order",
    .description = "messages of variant paper: overlapped with computing, plain, or token (one task sends at a time)",
    .values = message_orders,
    .variant = "paper",
}};

MessageOrder order_of(const Problem& problem) { return MessageOrder{kernel_parameters[0].chosen(problem)}; }

Outcome run_class(Comm& comm, const Problem& problem) {
  return solve(comm, parameters(problem.problem_class), problem.threads, problem.checkpoints);
}

Outcome run_paper(Comm& comm, const Problem& problem) {
  const MessageOrder order = order_of(problem);
  Outcome outcome =
      solve_on_ring(comm, parameters(problem.problem_class), problem.threads, order, problem.checkpoints);
  outcome.details.emplace_back("order of messages", message_orders[static_cast<std::size_t>(order)]);
  return outcome;
}

double mega_operations(const Problem& problem) {
  const Parameters& p = parameters(problem.problem_class);
  return 58.0 * p.iterations * std::pow(p.edge(), 3) * 1e-6;
}

std::uint64_t memory_of_class(const Problem& problem, int tasks) {
  return memory_bytes(parameters(problem.problem_class), tasks, problem.threads);
}

std::uint64_t memory_of_paper(const Problem& problem, int tasks) {
  return paper_memory_bytes(parameters(problem.problem_class), tasks);
}

Traffic traffic_of_class(const Problem& problem, int tasks) {
  return traffic(parameters(problem.problem_class), tasks);
}

Traffic traffic_of_paper(const Problem& problem, int tasks) {
  return paper_traffic(parameters(problem.problem_class), tasks, order_of(problem));
}

std::string size_text(const Problem& problem) {
  return fmt::format("{0}x{0}x{0}", parameters(problem.problem_class).edge());
}

constexpr std::array variants{
    KernelVariant{
        .name = "tuned",
        .description = "residual, smoothing and restriction in one sweep over the finest grid",
        .run = run_class,
        .memory_bytes = memory_of_class,
        .traffic = traffic_of_class,
        .work = work,
        .checkpoints = true,
    },
    KernelVariant{
        .name = "paper",
        .description = "that of White et al., 1994: borders after each operation, tasks leave coarse grids",
        .run = run_paper,
        .memory_bytes = memory_of_paper,
        .traffic = traffic_of_paper,
        .work = work,
        .checkpoints = true,
    },
};

int iterations(const Problem& problem) { return parameters(problem.problem_class).iterations; }

/// What is timed, and the verdict.
template <typename Cycles>
Outcome measure(Comm& comm, const Parameters& problem, Cycles& multigrid, Checkpoints* checkpoints) {
  Outcome outcome;
  outcome.first_iteration = first_iteration(checkpoints, [&] { return multigrid.state_to_fill(); });
  comm.barrier();
  TimedRegion region(comm);
  multigrid.residual();
  static_cast<void>(multigrid.residual_norm());
  for (int iteration = outcome.first_iteration; iteration <= problem.iterations; ++iteration) {
    multigrid.v_cycle();
    checkpoint_if_due(checkpoints, region, iteration, problem.iterations, [&] { return multigrid.state(); });
  }
  const double norm = multigrid.residual_norm();
  region.stop(outcome);

  const double error = std::abs(norm - problem.l2_norm) / problem.l2_norm;
  outcome.verified = error <= tolerance;
  outcome.details = {{"L2 norm", fmt::format("{:.13e}", norm)}, {"error", fmt::format("{:.1e}", error)}};
  return outcome;
}

}  // namespace

Outcome solve(Comm& comm, const Parameters& problem, int threads, Checkpoints* checkpoints) {
  Multigrid multigrid(comm, problem.levels, problem.smoother, threads);
  const Charges charges = find_charges(comm, problem.edge(), multigrid.slab(), threads);
  // One untimed cycle touches everything once.
  multigrid.start(charges);
  multigrid.residual();
  multigrid.v_cycle();
  multigrid.choose_sweep();
  multigrid.start(charges);
  Outcome outcome = measure(comm, problem, multigrid, checkpoints);
  outcome.choices = multigrid.choices();
  return outcome;
}

Outcome solve_on_ring(Comm& comm, const Parameters& problem, int threads, MessageOrder order,
                      Checkpoints* checkpoints) {
  RingMultigrid multigrid(comm, problem.levels, problem.smoother, threads, order);
  const Charges charges = find_charges(comm, problem.edge(), multigrid.slab(), threads);
  multigrid.start(charges);
  multigrid.residual();
  multigrid.v_cycle();
  multigrid.start(charges);
  return measure(comm, problem, multigrid, checkpoints);
}

constinit const Kernel kernel{
    .name = "mg",
    .title = "MG",
    .description = "V-cycles of a multigrid solver for a Poisson problem: memory bandwidth, short and long messages",
    .classes = class_letters,
    .variants = variants,
    .parameters = kernel_parameters,
    .mega_operations = mega_operations,
    .size_text = size_text,
    .iterations = iterations,
    .operation_type = "floating point",
    .verification_lines = {" VERIFICATION SUCCESSFUL ", " VERIFICATION FAILED"},
    .choices = choices,
};

}  // namespace nasvm::mg
